#!/bin/sh
# What udhcpc calls when a lease begins, is renewed or ends. $interface and the like are its environment.
case "$1" in
  deconfig)
    ip -4 address flush dev "$interface"
    rm -f "/run/dhcp/$interface"
    ;;
  bound | renew)
    ip -4 address replace "$ip/${mask:-24}" dev "$interface"
    # Of several ports, each has a route of its own; the first of them in the kernel's order is taken.
    for gateway in $router; do
      ip -4 route replace default via "$gateway" dev "$interface" metric "$((100 + $(cat "/sys/class/net/$interface/ifindex")))"
    done
    mkdir -p /run/dhcp
    for server in $dns; do echo "nameserver $server"; done >"/run/dhcp/$interface"
    cat /run/dhcp/* >/etc/resolv.conf
    ;;
esac
