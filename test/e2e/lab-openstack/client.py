"""Uses the cloud of the lab as openstacksdk does, and prints what it saw as one JSON object."""

import hashlib
import io
import json
import os
import sys
import time

import openstack

cloud = openstack.connect(
    auth_url=os.environ["OS_AUTH_URL"],
    username=os.environ["OS_USERNAME"],
    password=os.environ["OS_PASSWORD"],
    project_name=os.environ["OS_PROJECT_NAME"],
    user_domain_name="Default",
    project_domain_name="Default",
    region_name="RegionOne",
    cacert=os.environ["OS_CACERT"],
    compute_default_microversion="2.90",
)
saw = {}


def wait(what, seconds=60):
    until = time.monotonic() + seconds
    while True:
        found = what()
        if found:
            return found
        if time.monotonic() > until:
            raise SystemExit("gave up waiting")
        time.sleep(0.1)


saw["catalog"] = sorted(each["type"] for each in cloud.service_catalog)
saw["projects"] = [each.name for each in cloud.identity.projects()]

data = os.urandom(300_000)
image = cloud.image.create_image("from-sdk", disk_format="raw", container_format="bare", data=data)
image = cloud.image.get_image(image.id)
back = io.BytesIO()
cloud.image.download_image(image, output=back)
saw["image"] = {
    "status": image.status,
    "sha512": image.hash_value == hashlib.sha512(data).hexdigest(),
    "md5": image.checksum == hashlib.md5(data).hexdigest(),
    "same": back.getvalue() == data,
}

saw["compute"] = sorted({f"{each.binary} {each.state}" for each in cloud.compute.services()})
saw["hypervisors"] = [each.hypervisor_type for each in cloud.compute.hypervisors(details=True)]
saw["agents"] = sorted({f"{each.agent_type} {each.is_alive}" for each in cloud.network.agents()})

key = cloud.compute.create_keypair(name="from-sdk", public_key="ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC7 x")
network = cloud.network.find_network("tenant")


def life(flavor, zone=None):
    """A server from its request to its end."""
    server = cloud.compute.create_server(
        name=f"sdk-{flavor.replace('.', '-')}",
        flavor_id=cloud.compute.find_flavor(flavor).id,
        image_id=image.id,
        networks=[{"uuid": network.id}],
        key_name=key.name,
        config_drive=True,
        **({"availability_zone": zone} if zone else {}),
    )
    server = cloud.compute.wait_for_server(server, interval=0.2, wait=60)
    node = cloud.baremetal.get_node(server.hypervisor_hostname) if flavor == "bm.gpu" else None
    ports = list(cloud.network.ports(device_id=server.id))
    use = cloud.placement.get(f"/allocations/{server.id}").json()["allocations"]
    been = {
        "status": server.status,
        "host": server.compute_host,
        "networks": list(server.addresses),
        "address": server.addresses["tenant"][0]["addr"],
        "vif": [(port.binding_vif_type, port.binding_host_id == server.hypervisor_hostname) for port in ports],
        "allocated": [sorted(each["resources"]) for each in use.values()],
        "node": node and [node.provision_state, node.instance_id == server.id, node.power_state],
        "actions": [each.action for each in cloud.compute.server_actions(server)],
    }
    if flavor == "m1.tiny":
        been["console"] = "login:" in cloud.compute.get_server_console_output(server)["output"]
        cloud.compute.stop_server(server)
        been["stopped"] = cloud.compute.wait_for_server(server, status="SHUTOFF", interval=0.2, wait=60).status
    cloud.compute.delete_server(server)
    cloud.compute.wait_for_delete(server, interval=0.2, wait=60)
    been["ports left"] = len(list(cloud.network.ports(device_id=server.id)))
    if node:
        wait(lambda: cloud.baremetal.get_node(node.id).provision_state == "available")
    return been


saw["virtual"] = life("m1.tiny", zone="nova:compute-2")
saw["bare metal"] = life("bm.gpu")

cloud.compute.delete_keypair(key)
cloud.image.delete_image(image)
saw["conductors"] = [[each.hostname, each.alive] for each in cloud.baremetal.conductors()]
saw["drivers"] = [each.name for each in cloud.baremetal.drivers(details=True)]
(node,) = cloud.baremetal.nodes(details=True)
saw["ports"] = len(list(cloud.baremetal.ports(node=node.id)))
checks = cloud.baremetal.validate_node(node, required=("power", "management"))
saw["validate"] = {name: checks[name].result for name in ("power", "management", "deploy")}
node = cloud.baremetal.set_node_provision_state(node, "manage", wait=True)
saw["managed"] = node.provision_state
node = cloud.baremetal.set_node_provision_state(node, "provide", wait=True, timeout=60)
saw["provided"] = node.provision_state
providers = cloud.placement.resource_providers()
saw["inventory"] = sorted(
    each.resource_class for provider in providers for each in cloud.placement.resource_provider_inventories(provider)
)
json.dump(saw, sys.stdout)
