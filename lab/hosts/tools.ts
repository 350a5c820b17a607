import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomic } from '../store.ts';

/** Whose programs the sessions find behind those of the lab. */
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';
/** Runs the program of this machine that the lab's stands in front of; what that runs finds the lab's again. */
const REAL = 'real() { tool=$(PATH=${PATH#*:}; command -v "$1") || exit 127; shift; exec "$tool" "$@"; }';

/** A network without a route to some ports, for a program of Python that is given as an argument. */
const NO_ROUTE = `
import errno,os,socket
class NoRoute(socket.socket):
 def connect(self,to):
  if "%s:%s"%tuple(to[:2]) in os.environ["LAB_NO_ROUTE"].split():
   raise OSError(errno.EHOSTUNREACH,os.strerror(errno.EHOSTUNREACH))
  super().connect(to)
socket.socket=NoRoute
`.trim();

/** What stands for a host in front of the programs of this machine. What is not here is real. */
const TOOLS: { readonly [name: string]: string } = {
  // Files that are a host's own; others are this machine's.
  cat: `${REAL}
case \${1-} in '' | -*) real cat "$@" ;; esac
r=0
for path do
  case $path in
  /proc/sys/kernel/hostname | /etc/hostname) printf '%s\\n' "$LAB_HOSTNAME" ;;
  /etc/machine-id) printf '%s\\n' "$LAB_MACHINE_ID" ;;
  /proc/sys/kernel/random/boot_id) printf '%s\\n' "$LAB_BOOT_ID" ;;
  /sys/class/dmi/id/product_uuid) printf '%s\\n' "$LAB_PRODUCT_UUID" ;;
  /etc/ssh/ssh_host_*) printf '%s\\n' "$LAB_HOST_KEY" ;;
  /etc/hosts) printf '%s\\n' "$LAB_HOSTS" ;;
  *) (real cat "$path") || r=$? ;;
  esac
done
exit "$r"`,
  hostname: `printf '%s\\n' "$LAB_HOSTNAME"`,
  id: `${REAL}
case $* in
-u | -g) echo 1000 ;;
-un | -gn) echo operator ;;
'') echo 'uid=1000(operator) gid=1000(operator) groups=1000(operator)' ;;
*) real id "$@" ;;
esac`,
  sudo: `if [ -n "$LAB_SUDO" ]; then echo 'sudo: a password is required' >&2; exit 1; fi
while :; do case \${1-} in -*) shift ;; *) break ;; esac; done
exec "$@"`,
  chronyc: `if [ -n "$LAB_TIME" ]; then
  echo "C0000201,$LAB_TIME,3,$(date +%s).1,0.000012,0.000003,0.000021,-12.3,0.001,0.03,0.0004,0.0002,64.1,Normal"
else
  echo '00000000,,0,0.000000000,0.000000000,0.000000000,0.000000000,0.000,0.000,0.000,1.000000000,1.000000000,0.0,Not synchronised'
fi`,
  timedatectl: `if [ -n "$LAB_TIME" ]; then s=yes; else s=no; fi
printf 'Timezone=UTC\\nLocalRTC=no\\nCanNTP=yes\\nNTP=yes\\nNTPSynchronized=%s\\n' "$s"`,
  ntpq: `echo 'ntpq: command not found' >&2; exit 127`,
  getent: `${REAL}
if [ "\${1-}" = ahosts ] || [ "\${1-}" = hosts ]; then
  found=$(printf '%s\\n' "$LAB_HOSTS" | while read -r address name; do
    [ "$name" = "\${2-}" ] && echo "$address       STREAM $name"
  done)
  if [ -n "$found" ]; then printf '%s\\n' "$found"; exit 0; fi
  case \${2-} in controller-*) exit 2 ;; esac
fi
real getent "$@"`,
  ip: `case $* in
*addr*)
  case $* in
  *-j*) printf '%s\\n' "$LAB_LINKS" ;;
  *) printf '1: lo    inet 127.0.0.1/8 scope host lo\\n2: enp1s0    inet %s/8 scope global enp1s0\\n' "$LAB_ADDRESS" ;;
  esac ;;
'route get '*) echo "$3 dev enp1s0 src $LAB_ADDRESS uid 1000" ;;
*neigh*) ;;
*) echo "Object \\"\${1-}\\" is unknown, try \\"ip help\\"." >&2; exit 1 ;;
esac`,
  lsblk: `printf '%s\\n' "$LAB_DISKS"`,
  readlink: `${REAL}
for last do :; done
case $last in
/dev/disk/*)
  target=$(printf '%s\\n' "$LAB_PATHS" | while read -r path device; do
    [ "$path" = "$last" ] && echo "$device"
  done)
  if [ -n "$target" ]; then echo "$target"; exit 0; fi
  exit 1 ;;
esac
real readlink "$@"`,
  lscpu: `echo '{"lscpu":[{"field":"Architecture:","data":"x86_64"},{"field":"CPU(s):","data":"32"},{"field":"Model name:","data":"Lab CPU"}]}'`,
  lspci: `echo '00:1f.2 SATA controller [0106]: Lab AHCI [1b36:0001]'
echo '01:00.0 Ethernet controller [0200]: Lab NIC [1b36:0002]'
echo '02:00.0 Ethernet controller [0200]: Lab NIC [1b36:0002]'`,
  dmidecode: `printf 'System Information\\n\\tManufacturer: Lab\\n\\tProduct Name: Lab Controller\\n\\tUUID: %s\\n' "$LAB_PRODUCT_UUID"`,
  timeout: `${REAL}
for port do last=\${address-}; address=$port; done
if [ -n "$LAB_BLOCKED" ] && [ "\${2-}" = bash ] && [ "$last" = "$LAB_BLOCKED" ]; then
  echo "bash: connect: No route to host" >&2
  exit 1
fi
real timeout "$@"`,
  python3: `${REAL}
if [ -n "\${LAB_NO_ROUTE-}" ] && [ "\${1-}" = -c ]; then
  program='${NO_ROUTE}'"
$2"
  shift 2
  set -- -c "$program" "$@"
fi
real python3 "$@"`,
};

/** Writes the tools into a folder. @returns the PATH of sessions */
export function writeTools(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, script] of Object.entries(TOOLS)) {
    const file = join(folder, name);
    writeAtomic(file, `#!/bin/sh\n${script}\n`, 0o700);
    chmodSync(file, 0o700);
  }
  return `${folder}:${SYSTEM_PATH}`;
}
