#!/usr/bin/env bash
# busybox-guest.sh OUTPUT KERNEL NAME [SILENT]: a whole disk with a Linux of busybox that says its name, and calls home
# unless SILENT is 1. KERNEL is the folder of an unpacked Debian kernel.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
output="$1" kernel="$2" name="$3" silent="${4:-0}"
work="$(mktemp -d "$output.XXXXXX")"
trap 'rm -rf "$work"' EXIT

busybox_root "$work/root"
numbered_modules "$kernel" "$work/root" "${DISK_MODULES[@]}" "${PORT_MODULES[@]}" isofs "${BUTTON_MODULES[@]}"
install -m 0755 "$HERE/busybox-init.sh" "$work/root/init"
install -m 0755 "$HERE/busybox-report.sh" "$work/root/bin/report"
install -D -m 0755 "$HERE/dhcp.sh" "$work/root/usr/share/udhcpc/dhcp.sh"
echo "$name" >"$work/root/etc/guest"
mkdir -p "$work/root/etc/acpi/PWRF"
printf '#!/bin/sh\nsync\npoweroff -f\n' >"$work/root/etc/acpi/PWRF/00000080"
chmod 0755 "$work/root/etc/acpi/PWRF/00000080"
pack "$work/root" "$work/ramdisk"
esp "$work/esp" 30 "$kernel"/boot/vmlinuz-* "$work/ramdisk" "console=ttyS0,115200n8 quiet loglevel=3 panic=5 silent=$silent"
disk "$output" "$name" "$work/esp"
