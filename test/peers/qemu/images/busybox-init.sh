#!/bin/sh
# The first program of a guest of busybox. It brings up its network, says that it is up, and calls home where its
# config drive says so. It stays until its power button is pressed.
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev 2>/dev/null
mount -t tmpfs run /run
name="$(cat /etc/guest)"
say() { echo "$*" >/dev/console; }

for module in /modules/*; do insmod "$module" 2>/dev/null; done
acpid -f -l /dev/null >/dev/null 2>&1 &

ip link set lo up
for path in /sys/class/net/*/device; do
  port="$(basename "$(dirname "$path")")"
  ip link set "$port" up
  udhcpc -b -t 30 -T 2 -i "$port" -s /usr/share/udhcpc/dhcp.sh >/dev/null 2>&1 &
done
# The kernel puts what is on its command line, and not its own, into the environment.
if [ "$silent" = 1 ]; then
  say "guest $name: this image never calls home"
  say "guest $name: $(cat /proc/version)"
  say "GUEST $name SILENT"
else
  tries=0
  until [ -n "$(ls /run/dhcp 2>/dev/null)" ] || [ "$tries" -ge 300 ]; do sleep 0.1; tries=$((tries + 1)); done
  say "GUEST $name UP"
  report && say "GUEST $name REPORTED" || say "guest $name: nobody waits for its report"
fi
while true; do sleep 3600; done
