#!/usr/bin/env bash
# debian-guest.sh OUTPUT KERNEL EXAMPLE: a whole disk with a Debian 12: systemd, cloud-init, an SSH server, and what
# docs/how-to/prepare-an-image.md has an image do, from the folder EXAMPLE. KERNEL is the folder of an unpacked Debian
# kernel. What a boot of a test does not need is switched off: it runs on an emulated processor.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
output="$1" kernel="$2" example="$3"
work="$(mktemp -d "$output.XXXXXX")"
trap 'rm -rf "$work"' EXIT
root="$work/root"

debian "$root" systemd-sysv dbus udev kmod systemd-resolved cloud-init openssh-server python3 iproute2 ethtool \
  util-linux mount procps netbase ca-certificates e2fsprogs
modules "$kernel" "$root" "${DISK_MODULES[@]}" "${PORT_MODULES[@]}" "${VOLUME_MODULES[@]}" "${BUTTON_MODULES[@]}" \
  ext4 virtio_rng efivarfs autofs4 bonding 8021q

install -D -m 0755 "$example/report.py" "$root/usr/local/lib/rackwright/report.py"
install -D -m 0644 "$example/rackwright-first-boot.service" "$root/etc/systemd/system/rackwright-first-boot.service"
chroot "$root" systemctl --quiet enable rackwright-first-boot.service systemd-networkd systemd-resolved ssh
off=(
  apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer
  systemd-hwdb-update.service systemd-journal-catalog-update.service systemd-update-done.service
  systemd-pstore.service systemd-journal-flush.service systemd-update-utmp.service systemd-update-utmp-runlevel.service
  systemd-binfmt.service proc-sys-fs-binfmt_misc.automount systemd-network-generator.service cloud-init-hotplugd.socket
  dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount sys-fs-fuse-connections.mount
  modprobe@drm.service modprobe@dm_mod.service modprobe@fuse.service modprobe@loop.service modprobe@efi_pstore.service
  getty@tty1.service
)
chroot "$root" systemctl --quiet mask "${off[@]}"
mkdir -p "$root/etc/systemd/system-generators"
for path in "$root"/usr/lib/systemd/system-generators/systemd-*; do
  case "$path" in *-fstab-* | *-getty-*) continue ;; esac
  ln -s /dev/null "$root/etc/systemd/system-generators/$(basename "$path")"
done
cp -r "$HERE/debian/." "$root/etc/"
ln -sf /run/systemd/resolve/resolv.conf "$root/etc/resolv.conf"
echo 'PARTLABEL=debian-root / ext4 rw,noatime 0 0' >"$root/etc/fstab"
# Each machine makes these itself.
: >"$root/etc/machine-id"
rm -rf "$root"/etc/ssh/ssh_host_* "$root"/var/lib/{dbus/machine-id,systemd/random-seed}
slim "$root"
byte_compile "$root" /usr/lib/python3.11 /usr/lib/python3

busybox_root "$work/first"
numbered_modules "$kernel" "$work/first" "${DISK_MODULES[@]}" ext4
install -m 0755 "$HERE/debian-first.sh" "$work/first/init"
pack "$work/first" "$work/ramdisk"

esp "$work/esp" 24 "$kernel"/boot/vmlinuz-* "$work/ramdisk" \
  'console=ttyS0,115200n8 quiet loglevel=3 panic=5 mitigations=off audit=0 apparmor=0 selinux=0'
rm -rf "$root"/{dev,proc,sys,run,tmp}/*
used="$(du -s --block-size=1M "$root" | cut -f1)"
mke2fs -q -t ext4 -L debian-root -U "$(guid debian root)" -J size=8 -m 0 \
  -d "$root" "$work/ext4" "$((used * 108 / 100 + 40))M"
disk "$output" debian "$work/esp" "$work/ext4"
