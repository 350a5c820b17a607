import type { Answers, Questions } from './answers.ts';

/** What a host is made of. What takes root is left out where root is not to be had. */
export const HARDWARE_QUESTIONS: Questions = {
  system: 'uname -a; cat /etc/os-release',
  lscpu: 'lscpu -J',
  memory: 'head -n 3 /proc/meminfo',
  lsblk: 'lsblk -J -b -o NAME,TYPE,SIZE,MODEL,SERIAL,WWN,TRAN,ROTA,FSTYPE | head -c 65536',
  ip: 'ip -j -d addr show | head -c 65536',
  lspci: 'lspci -nn | head -c 49152',
  dmidecode:
    'as_root dmidecode -q -t bios -t system -t baseboard -t chassis -t processor -t memory | head -c 65536',
};

/** Programs that a host need not have. */
const PROGRAMS = ['lscpu', 'lsblk', 'ip', 'lspci', 'dmidecode'];

/** What was recorded, in words. */
export function recorded(answers: Answers): string {
  const missing = PROGRAMS.filter((name) => (answers[name]?.text ?? '') === '');
  return missing.length === 0 ? 'recorded' : `recorded, without ${missing.join(', ')}`;
}
