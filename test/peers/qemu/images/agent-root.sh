#!/usr/bin/env bash
# agent-root.sh OUTPUT: a Debian user land with ironic-python-agent and every program that it calls when it looks at a
# machine, writes its disk and erases it. A tar file; agent-ramdisk.sh makes the ramdisk of it.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
output="$1"
work="$(mktemp -d "$output.XXXXXX")"
trap 'rm -rf "$work"' EXIT

PACKAGES=(
  python3 python3-distutils ca-certificates udev kmod busybox-static
  iproute2 ethtool lshw dmidecode pciutils ipmitool
  util-linux util-linux-extra mount bsdextrautils psmisc procps
  parted gdisk dosfstools e2fsprogs qemu-utils efibootmgr
  hdparm nvme-cli smartmontools mdadm
)
debian "$work/root" "${PACKAGES[@]}"
site="$work/root/usr/local/lib/python3.11/dist-packages"
mkdir -p "$site"
python3 -m pip install -qq --no-compile --target "$site" --python-version 3.11 --only-binary=:all: \
  ironic-python-agent==13.0.0
rm -rf "$site"/{bin,ironic_python_agent/tests}
find "$site" \( -name '*.pyi' -o -name tests -o -name __pycache__ \) -prune -exec rm -rf {} +
slim "$work/root"
byte_compile "$work/root" /usr/lib/python3.11 /usr/lib/python3 /usr/local/lib/python3.11
tar --create --file "$output" --directory "$work/root" --numeric-owner --exclude './dev/*' .
