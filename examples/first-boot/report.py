#!/usr/bin/env python3
"""Tells Rackwright that this machine is up, and what it has: once, at the first boot of a deployed image.

It reads where to call from the config drive (a volume labelled config-2 or cidata) and posts one JSON object there,
again and again until it is taken. Needs Python 3 and util-linux; nvidia-smi where there are GPUs of NVIDIA.
"""

import argparse
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

# Where each form of a config drive keeps its metadata, by the label of the volume.
METADATA = {"config-2": "openstack/latest/meta_data.json", "cidata": "meta-data"}
GIVE_UP_AFTER = 30 * 60
# The gateway takes 16 KB.
LARGEST = 15_000


def output(*command):
    """What a program prints; nothing if it is not there or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def metadata():
    found = ((label, output("blkid", "--label", label).strip()) for label in METADATA)
    label, device = next(((label, device) for label, device in found if device), (None, None))
    if device is None:
        sys.exit("there is no config drive: this image was not deployed by Rackwright")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-o", "ro", device, folder], check=True)
        try:
            with open(os.path.join(folder, METADATA[label])) as file:
                return json.load(file)
        finally:
            subprocess.run(["umount", folder], check=False)


def read(path):
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return None


def links():
    """The physical ports, by the address they were made with: a bond gives all of its ports one."""
    found = []
    for name in sorted(os.listdir("/sys/class/net")):
        path = f"/sys/class/net/{name}"
        if not os.path.exists(f"{path}/device"):
            continue
        permanent = output("ethtool", "-P", name).strip().rpartition(" ")[2]
        mac = permanent if permanent.count(":") == 5 and permanent != "00:00:00:00:00:00" else read(f"{path}/address")
        carrier = read(f"{path}/carrier")
        found.append({"interface": name, "mac": mac, "up": None if carrier is None else carrier == "1"})
    return found


def routes():
    """The default routes first; nothing if they cannot be told."""
    told = [output("ip", "-json", family, "route") for family in ("-4", "-6")]
    if not any(told):
        return None
    found = [route for text in told for route in json.loads(text or "[]")]
    return sorted(
        (
            {"destination": route.get("dst"), "gateway": route.get("gateway"), "interface": route.get("dev")}
            for route in found
        ),
        key=lambda route: route["destination"] != "default",
    )


def dns():
    """The servers that are asked; behind a resolver of the machine's own, those that it asks."""
    text = read("/run/systemd/resolve/resolv.conf") or read("/etc/resolv.conf")
    if text is None:
        return None
    lines = (line.split() for line in text.splitlines())
    return [words[1] for words in lines if len(words) > 1 and words[0] == "nameserver"]


def fitting(said):
    """Shortens the longest list again and again until all of it fits."""
    while len(json.dumps(said)) > LARGEST:
        lists = {key: value for key, value in said.items() if isinstance(value, list)}
        longest = max(lists, key=lambda key: len(json.dumps(lists[key])))
        said[longest] = lists[longest][: len(lists[longest]) // 2]
    return said


def report():
    addresses = [
        {"interface": link["ifname"], "address": address["local"]}
        for link in json.loads(output("ip", "-json", "address") or "[]")
        for address in link.get("addr_info", [])
    ]
    disks = json.loads(output("lsblk", "--json", "--bytes", "--nodeps", "--output", "NAME,SIZE,TYPE") or "{}")
    models = output("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").splitlines()
    mounts = [line.split()[1].encode().decode("unicode_escape") for line in (read("/proc/self/mounts") or "").splitlines()]
    return {
        "hostname": socket.gethostname(),
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "addresses": addresses,
        "routes": routes(),
        "dns": dns(),
        "links": links(),
        "disks": [
            {"name": disk["name"], "sizeBytes": int(disk["size"])}
            for disk in disks.get("blockdevices", [])
            if disk["type"] == "disk"
        ],
        "gpus": [{"model": model.strip()} for model in models if model.strip()],
        "mounts": [path for path in mounts if not path.startswith(("/proc", "/sys", "/dev", "/run"))],
    }


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--metadata", help="read the metadata from this file instead of the config drive")
    given = options.parse_args().metadata
    known = json.loads(read(given) or "{}") if given else metadata()
    url = known.get("meta", {}).get("rackwright_callback") or known.get("rackwright_callback")
    if not url:
        sys.exit("the metadata names no rackwright_callback: nobody waits for this machine")
    wait, until = 1, time.monotonic() + GIVE_UP_AFTER
    while True:
        body = json.dumps(fitting(report())).encode()
        request = urllib.request.Request(url, body, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30):
                return
        except urllib.error.HTTPError as error:
            # 403 and 410 are final: forged, or the operation is over.
            if error.code in (403, 410):
                sys.exit(f"the gateway does not want to hear of this machine any more: {error.code}")
            problem = str(error.code)
        except OSError as error:
            problem = str(error)
        except http.client.HTTPException as error:
            # What came instead of an answer may repeat what was asked: its kind is enough.
            problem = type(error).__name__
        # The address carries a token: it is not logged.
        print(f"not taken yet: {problem}", file=sys.stderr)
        if time.monotonic() > until:
            sys.exit("given up")
        time.sleep(wait)
        wait = min(30, wait * 2)


main()
