#!/usr/bin/env bash
# agent-ramdisk.sh OUTPUT ROOT KERNEL [PACKAGE]: the deploy kernel and ramdisk, OUTPUT/kernel and OUTPUT/ramdisk.
# ROOT is the tar file of agent-root.sh, KERNEL the folder of an unpacked Debian kernel, PACKAGE the folder of a Python
# package that goes into it with its entry points: hardware managers of our own.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
output="$1" tar="$2" kernel="$3" package="${4:-}"
mkdir -p "$output"
work="$(mktemp -d "$output/XXXXXX")"
trap 'rm -rf "$work"' EXIT
root="$work/root"
mkdir "$root"
tar --extract --file "$tar" --directory "$root" --numeric-owner

if [ -n "$package" ]; then
  # Copied first: a build leaves files beside the sources.
  cp -r "$package" "$work/package"
  site="$root/usr/local/lib/python3.11/dist-packages"
  python3 -m pip install -qq --no-compile --no-deps --target "$work/site" "$work/package"
  rm -rf "$work/site/bin"
  cp -r "$work/site/." "$site/"
  byte_compile "$root" /usr/local/lib/python3.11
fi

modules "$kernel" "$root" "${DISK_MODULES[@]}" "${PORT_MODULES[@]}" "${VOLUME_MODULES[@]}" \
  virtio_rng ata_piix usb-storage uas xhci-pci ehci-pci loop ext4 efivarfs dm-mod raid0 raid1 ipmi_si ipmi_devintf
mkdir -p "$root"/{proc,sys,dev,run,tmp,mnt,etc/ironic-python-agent.d}
: >"$root/etc/fstab"
: >"$root/etc/resolv.conf"
ln -sf /proc/mounts "$root/etc/mtab"
# No account has a password, and none can log in: this machine is spoken to by its agent only.
sed -i -E 's/^([^:]+):[^:]*:/\1:!:/' "$root/etc/shadow"
install -D -m 0755 "$HERE/agent-init.sh" "$root/init"
install -D -m 0755 "$HERE/dhcp.sh" "$root/usr/share/udhcpc/dhcp.sh"
install -D -m 0644 "$HERE/untold.sed" "$root/usr/share/rackwright/untold.sed"
# The agent calls these to end; there is no init system that could.
for name in poweroff reboot; do
  rm -f "$root/usr/sbin/$name" "$root/sbin/$name"
  printf '#!/bin/sh\nsync\nexec busybox %s -f\n' "$name" >"$root/usr/sbin/$name"
  chmod 0755 "$root/usr/sbin/$name"
done
# Whoever asks for the extensions that are there gets an answer made in this root, never one that was kept.
rm -rf "$root/root/.cache"

pack "$root" "$output/ramdisk"
cp "$kernel"/boot/vmlinuz-* "$output/kernel"
