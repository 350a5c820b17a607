#!/bin/sh
# The first program of the deploy ramdisk: devices, network, and ironic-python-agent, again and again.
# Its log goes to a file: a serial line is slow where it is emulated, and what is on it is kept by others.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
export PYTHONDONTWRITEBYTECODE=1
LOG=/var/log/ironic-python-agent.log

say() { echo "deploy agent: $(cut -d' ' -f1 /proc/uptime) s: $*" >/dev/console; }

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev 2>/dev/null
mkdir -p /dev/pts /dev/shm /var/log
mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs -o mode=755 run /run
mount -t tmpfs -o size=75% tmp /tmp
if [ -d /sys/firmware/efi ]; then
  modprobe -q efivarfs
  mount -t efivarfs efivarfs /sys/firmware/efi/efivars
fi
echo ipa-ramdisk >/proc/sys/kernel/hostname
echo '127.0.0.1 localhost ipa-ramdisk' >/etc/hosts

/lib/systemd/systemd-udevd --daemon --resolve-names=never
udevadm trigger --type=subsystems --action=add
udevadm trigger --type=devices --action=add
udevadm settle --timeout=30
modprobe -q -a loop nls_utf8 nls_cp437 nls_ascii isofs vfat
say "devices: $(ls /sys/block | grep -v '^loop' | tr '\n' ' ')"

ip link set lo up
mkdir -p /run/dhcp
for path in /sys/class/net/*/device; do
  port="$(basename "$(dirname "$path")")"
  ip link set "$port" up
  # It stays, and renews: erasing disks takes longer than some leases.
  busybox udhcpc -b -t 30 -T 2 -i "$port" -s /usr/share/udhcpc/dhcp.sh >/dev/null 2>&1 &
done
tries=0
until [ -n "$(ls /run/dhcp)" ] || [ "$tries" -ge 300 ]; do
  sleep 0.1
  tries=$((tries + 1))
done
say "network: $(ip -brief -4 address show scope global | tr -s ' \n' ' ')"

while true; do
  say 'starts'
  # As its own program does it, which pip does not install for another root.
  python3 -c 'from ironic_python_agent.cmd.agent import run; run()' \
    --config-dir /etc/ironic-python-agent.d >>"$LOG" 2>&1
  code=$?
  # What it warned of says more than where it gave up.
  { grep -F ' WARNING ' "$LOG" | tail -n 4; tail -n 8 "$LOG"; } | sed -E -f /usr/share/rackwright/untold.sed >/dev/console
  say "ended with $code"
  sleep 5
done
