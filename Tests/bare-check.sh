#!/usr/bin/env bash
# Proves that no install step is missing: `make run` and `make test` in a Debian 12 that holds nothing but
# its minbase, the Swift toolchain of this machine (bind-mounted, read-only) and what that toolchain itself
# needs. A developer's machine cannot prove it, since whatever was once installed by hand stays there.
#
#     Tests/bare-check.sh                    the last commit, as a clone
#     Tests/bare-check.sh --worktree         the files as they lie here, committed or not
#     Tests/bare-check.sh [--worktree] -- COMMAND     one shell command instead of run and test
#
# Needs root (or `sudo -n`), debootstrap (installed if missing) and a Debian mirror. No container engine:
# chroot, a mount and a PID namespace are all it takes, and every kernel has them.
set -euo pipefail

suite=bookworm
# What swift.org asks for on Debian 12, less what only lldb and the REPL use (python, libedit) and
# less gcc: the toolchain compiles and links with its own clang, given these headers and binutils. Anything
# more (g++, libuv, python3, …) must come from `make deps`. `make` is here because one types it.
toolchain_packages=(
    binutils libc6-dev libgcc-12-dev libstdc++-12-dev libcurl4 libncurses6 libsqlite3-0 libxml2 tzdata
    ca-certificates git make)

say() { printf '\nbare-check: %s\n' "$*"; }
die() { printf 'bare-check: %s\n' "$*" >&2; exit 1; }

# Runs as process 1 of its own namespaces: every mount made here and every process started here is gone
# when it ends, however it ends. That is why the folder can be removed afterwards without looking for mounts.
inside() {
    local work=$1 toolchain=$2 cache=$3 mirror=$4 command=${5-} root=$1/root base
    # Process 1 ignores signals that it does not handle; without this Ctrl-C would do nothing.
    trap 'exit 130' INT TERM

    base=$cache/$suite-$(printf '%s\n' "$mirror" "${toolchain_packages[@]}" | cksum | cut -d' ' -f1).tar
    mkdir -p "$root"
    if [[ -f $base ]]; then
        say "unpacking $base"
        tar -xpf "$base" --numeric-owner -C "$root"
    else
        say "debootstrap $suite from $mirror"
        debootstrap --variant=minbase --include="$(IFS=,; echo "${toolchain_packages[*]}")" \
            "$suite" "$root" "$mirror" >"$work/debootstrap.log" 2>&1 ||
            { tail -n 20 "$work/debootstrap.log" >&2; die "debootstrap failed"; }
        # A new machine has no package lists; `make deps` must notice that by itself.
        rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*
        tar -cf "$base.new" --numeric-owner --one-file-system -C "$root" .
        mv "$base.new" "$base"
    fi

    # How this machine reaches Debian: sources, proxies, certificates, name service.
    rm -f "$root/etc/apt/sources.list"
    cp "$work/sources.list" "$root/etc/apt/sources.list"
    cp "$work/apt.conf" "$root/etc/apt/apt.conf.d/90host"
    local file
    while IFS= read -r file; do
        if [[ -f $file ]]; then install -D "$file" "$root$file"; fi
    done < <(sed -n 's/^[^"]*"\(\/[^"]*\)";$/\1/p' "$work/apt.conf")
    for file in apt/auth.conf apt/auth.conf.d resolv.conf hosts; do
        if [[ -e /etc/$file ]]; then cp -rLT "/etc/$file" "$root/etc/$file"; fi
    done

    mount -t proc proc "$root/proc"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    mkdir -p "$root$toolchain"
    mount --bind "$toolchain" "$root$toolchain"
    mount -o remount,bind,ro "$root$toolchain"

    mv "$work"/source.* "$root/tmp/"
    # An empty environment too: what this shell exports must not help either.
    local -a enter=(
        env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}"
        PATH="$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        http_proxy="${http_proxy-}" https_proxy="${https_proxy-}" no_proxy="${no_proxy-}"
        chroot "$root" bash -euo pipefail -c)
    "${enter[@]}" '
        cd
        if [[ -f /tmp/source.bundle ]]; then
            git -c advice.detachedHead=false clone --quiet /tmp/source.bundle seam
        else
            mkdir seam && tar -xf /tmp/source.tar -C seam
        fi
        rm /tmp/source.*'

    local -a steps=("make run" "make run" "make test")
    [[ -z $command ]] || steps=("$command")
    local step started took
    local -A seen=()
    for step in "${steps[@]}"; do
        say "$step"
        started=$SECONDS
        "${enter[@]}" "cd ~/seam && $step" </dev/null || die "this failed in the bare system: $step"
        took=$((SECONDS - started))
        say "took $took s"
        [[ -z ${seen[$step]-} ]] || ((took < 30)) || die "a second $step is to take seconds, not $took"
        seen[$step]=yes
    done
    "${enter[@]}" 'cd ~/seam; [[ ! -d .git ]] || { git status --porcelain; [[ -z $(git status --porcelain) ]]; }' ||
        die "the files above are left in the clone and not ignored"
    say "passed: nothing else is needed than what make deps installs"
}

if [[ ${1-} == --inside ]]; then
    shift
    inside "$@"
    exit
fi

worktree=no
[[ ${1-} == --worktree ]] && { worktree=yes; shift; }
[[ ${1-} == -- ]] && shift
command=$*

cd "$(dirname "$0")/.."
elevate=()
if ((EUID != 0)); then
    sudo -n true 2>/dev/null || die "needs root for chroot and mounts: run it as root or allow sudo without a password"
    elevate=(sudo -n)
fi

# Asked of the compiler, not of PATH: `swift` there may be a link or a launcher.
resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
toolchain=$(cd "$resources/../.." && pwd -P)
[[ -x $toolchain/bin/swift ]] || die "no toolchain found around $resources"
case $toolchain in
/ | /usr | /usr/local) die "the toolchain lies in $toolchain, among other programs; mounting that would hide what is missing. Use one unpacked into a folder of its own, from https://www.swift.org/install/linux/" ;;
esac

if ! command -v debootstrap >/dev/null; then
    "${elevate[@]}" apt-get install -y debootstrap ||
        { "${elevate[@]}" apt-get update && "${elevate[@]}" apt-get install -y debootstrap; }
fi

cache=$PWD/.build-bare
mkdir -p "$cache"
# Not /tmp and not $TMPDIR: those are often mounted nodev, where debootstrap refuses to work, or in memory.
work=$(mktemp -d /var/tmp/seam-bare.XXXXXX)
# --one-file-system as a second lock on the door: were a mount ever left, it would be left alone.
trap '"${elevate[@]}" rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM

if [[ $worktree == yes ]]; then
    # Files deleted here but still in git's index are listed too; tar would stop at them.
    git ls-files -z --cached --others --exclude-standard |
        while IFS= read -r -d '' file; do if [[ -e $file ]]; then printf '%s\0' "$file"; fi; done |
        tar -cf "$work/source.tar" --null -T -
else
    git rev-parse --quiet --verify HEAD >/dev/null || die "nothing is committed yet; try --worktree"
    git bundle create --quiet "$work/source.bundle" HEAD
    [[ -z $(git status --porcelain) ]] || say "uncommitted changes are not part of this run (see --worktree)"
fi

# `apt-config dump` is itself apt's configuration language. Only how to fetch: hooks and the like belong to this machine.
apt-config dump Acquire | grep -vE '^Acquire::(IndexTargets|Changelogs|cdrom)' >"$work/apt.conf"
apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' |
    while read -r uri release component origin; do
        [[ $component == main && ($origin == Debian || $origin != [A-Za-z]*) ]] || continue
        [[ $release == $suite || $release == $suite-updates || $release == $suite-security ]] || continue
        printf 'deb %s %s main\n' "$uri" "$release"
    done | sort -u >"$work/sources.list"
if ! grep -q " $suite main" "$work/sources.list"; then
    printf 'deb http://deb.debian.org/debian %s main\ndeb http://deb.debian.org/debian-security %s-security main\n' \
        "$suite" "$suite" >"$work/sources.list"
fi
mirror=$(sed -n "s/^deb \(.*\) $suite main$/\1/p" "$work/sources.list" | head -n 1)

# In the foreground on purpose: a background job of a script ignores Ctrl-C.
"${elevate[@]}" unshare --mount --pid --fork --kill-child --mount-proc \
    bash Tests/bare-check.sh --inside "$work" "$toolchain" "$cache" "$mirror" "$command"
