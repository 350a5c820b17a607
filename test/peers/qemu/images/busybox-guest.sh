#!/usr/bin/env bash
# busybox-guest.sh OUTPUT KERNEL NAME [SILENT] [LOADER]: a whole disk with a Linux of busybox that says its name, and
# calls home unless SILENT is 1. KERNEL is the folder of an unpacked Debian kernel. Firmware finds its boot loader by
# itself, unless LOADER is `vendor`: then it stands in a folder of its own, named by a CSV file, as distributions have
# it; and if LOADER is `none`, there is none.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
output="$1" kernel="$2" name="$3" silent="${4:-0}" loader="${5:-fallback}"
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
if [ "$loader" != fallback ]; then
  mcopy -n -i "$work/esp" ::/EFI/BOOT/BOOTX64.EFI "$work/grubx64.efi"
  mdeltree -i "$work/esp" ::/EFI/BOOT
fi
if [ "$loader" = vendor ]; then
  printf 'grubx64.efi,Guest %s,,The guest %s of the tests\n' "$name" "$name" | iconv -t UTF-16 >"$work/BOOTX64.CSV"
  mmd -i "$work/esp" ::/EFI/guest
  mcopy -i "$work/esp" "$work/grubx64.efi" "$work/BOOTX64.CSV" ::/EFI/guest/
fi
disk "$output" "$name" "$work/esp"
