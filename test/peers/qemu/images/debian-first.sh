#!/bin/sh
# The first program of the Debian guest: it finds the partition of its root by name, and starts Debian's own first one.
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev 2>/dev/null
for module in /modules/*; do insmod "$module" 2>/dev/null; done
tries=0
until [ -n "$found" ] || [ "$tries" -ge 300 ]; do
  found="$(grep -l '^PARTNAME=debian-root$' /sys/class/block/*/uevent | head -n 1)"
  [ -n "$found" ] || sleep 0.1
  tries=$((tries + 1))
done
mount -t ext4 -o rw,noatime "/dev/$(basename "$(dirname "$found")")" /mnt
mount -o move /dev /mnt/dev
umount /proc /sys
exec switch_root /mnt /sbin/init
