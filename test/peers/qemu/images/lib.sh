# What the scripts of this folder share. Sourced by bash, with `set -euo pipefail`.

export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH=946684800 PIP_ROOT_USER_ACTION=ignore
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

# What finds the disks and network ports of a machine, real or not.
DISK_MODULES=(virtio_pci virtio_blk virtio_scsi ahci sd_mod nvme)
PORT_MODULES=(virtio_net e1000 e1000e igb)
VOLUME_MODULES=(cdrom sr_mod isofs vfat nls_cp437 nls_ascii nls_utf8 nls_iso8859-1)
# What tells that the power button was pressed.
BUTTON_MODULES=(evdev button)

# debian TARGET PACKAGE…: the least Debian 12 that has these packages, without manuals and translations.
debian() {
  local target="$1"
  shift
  local skip=() path
  for path in man doc locale info lintian bash-completion; do
    skip+=(--dpkgopt="path-exclude=/usr/share/$path/*")
  done
  mmdebstrap --quiet --variant=essential --mode=root --include="$(IFS=,; echo "$*")" \
    --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' \
    --aptopt='Acquire::Retries "3"' "${skip[@]}" bookworm "$target" http://deb.debian.org/debian
}

# slim ROOT: nothing that is only read by people, package managers or compilers.
slim() {
  rm -rf "$1"/usr/share/{doc,man,locale,info,lintian,bash-completion,zoneinfo,perl,perl5,i18n,gcc,gdb,icons,pixmaps} \
    "$1"/var/lib/{apt,dpkg} "$1"/var/cache/{apt,debconf} "$1"/var/log/* "$1"/boot/* \
    "$1"/usr/lib/python3*/{test,idlelib,lib2to3,tkinter,ensurepip,pydoc_data,turtledemo} \
    "$1"/usr/lib/x86_64-linux-gnu/{gconv,perl,perl-base} "$1"/usr/bin/perl* "$1"/usr/lib/udev/hwdb.{bin,d}
}

# byte_compile ROOT FOLDER…: by its own Python, so that no boot does it; the files are never compared with their sources.
byte_compile() {
  local root="$1"
  shift
  chroot "$root" /usr/bin/python3 -m compileall -q -f --invalidation-mode unchecked-hash "$@"
}

# needed KERNEL MODULE…: the files of these modules and of what they need, in the order in which they can be loaded.
needed() {
  local kernel="$1" name
  shift
  for name in "$@"; do
    modprobe --dirname "$kernel" --set-version "$(ls "$kernel/lib/modules")" --show-depends "$name"
  done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++'
}

# modules KERNEL ROOT MODULE…: these and what they need, with the index that modprobe reads.
modules() {
  local kernel="$1" root="$2" version file
  shift 2
  version="$(ls "$kernel/lib/modules")"
  needed "$kernel" "$@" | while read -r file; do
    install -D -m 0644 "$file" "$root/lib/modules/$version/${file#*"lib/modules/$version/"}"
  done
  cp "$kernel/lib/modules/$version"/modules.{order,builtin,builtin.modinfo} "$root/lib/modules/$version/"
  depmod --basedir "$root" "$version"
}

# numbered_modules KERNEL ROOT MODULE…: the same for a ramdisk without modprobe, which loads /modules/* as they stand.
numbered_modules() {
  local kernel="$1" root="$2" number=100 file
  shift 2
  mkdir -p "$root/modules"
  for file in $(needed "$kernel" "$@"); do
    cp "$file" "$root/modules/$number-$(basename "$file")"
    number=$((number + 1))
  done
}

# pack ROOT OUTPUT: a ramdisk that the kernel unpacks fast.
pack() {
  (cd "$1" && find . -print0 | sort -z | cpio --null --create --format=newc --owner=0:0 --quiet --reproducible) |
    lz4 -l -9 -c >"$2"
}

# busybox_root ROOT: its programs, and folders that the kernel mounts on.
busybox_root() {
  mkdir -p "$1"/{bin,sbin,dev,proc,sys,run,tmp,etc,mnt,lib,usr/share}
  cp /bin/busybox "$1/bin/busybox"
  local name
  for name in $(busybox --list); do [ "$name" = busybox ] || ln -s busybox "$1/bin/$name"; done
}

# esp OUTPUT MIB KERNEL RAMDISK COMMAND-LINE: an EFI system partition whose GRUB starts this kernel, at once.
esp() {
  local folder
  folder="$(mktemp -d)"
  printf 'linux /vmlinuz %s\ninitrd /ramdisk\nboot\n' "$5" >"$folder/grub.cfg"
  grub-mkimage -O x86_64-efi -p /EFI/BOOT -c "$folder/grub.cfg" -o "$folder/BOOTX64.EFI" \
    normal linux fat part_gpt echo
  rm -f "$1"
  truncate -s "$2M" "$1"
  mformat -i "$1" -N 52574749 -v ESP ::
  mmd -i "$1" ::/EFI ::/EFI/BOOT
  mcopy -i "$1" "$folder/BOOTX64.EFI" ::/EFI/BOOT/
  mcopy -i "$1" "$3" ::/vmlinuz
  mcopy -i "$1" "$4" ::/ramdisk
  rm -rf "$folder"
}

# guid TEXT NUMBER: the same for the same text.
guid() {
  sha256sum <<<"$1/$2" | sed -E 's/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/\1-\2-4\3-8\4-\5/'
}

# disk OUTPUT NAME ESP [ROOT]: a whole disk, with a GPT, of these partitions.
disk() {
  local output="$1" name="$2" at=1 number=1 part size arguments=() codes=(ef00 8304) labels=(ESP "$2-root")
  shift 2
  for part in "$@"; do
    size=$(($(stat -c %s "$part") / 1048576))
    arguments+=(-n "$number:${at}M:+${size}M" -t "$number:${codes[number - 1]}" -u "$number:$(guid "$name" "$number")"
      -c "$number:${labels[number - 1]}")
    at=$((at + size))
    number=$((number + 1))
  done
  rm -f "$output"
  truncate -s "$((at + 1))M" "$output"
  sgdisk -U "$(guid "$name" 0)" "${arguments[@]}" "$output" >/dev/null
  at=1
  for part in "$@"; do
    dd if="$part" of="$output" bs=1M seek="$at" conv=notrunc,sparse status=none
    at=$((at + $(stat -c %s "$part") / 1048576))
  done
}
