# Seam's commands. `make run` shows it at work, `make test` checks it; each starts with whatever it needs.
#
#     make deps         install the Debian packages (as root or through sudo; otherwise says what to install)
#     make build        release build: seamd, seam and the plug-ins in .build/release
#     make run          build, play the five lessons, watch one of them live
#     make test         every test but the long ones
#     make lint         formatting, plug-in header under gcc and clang as C99, C11 and C++11, scripts
#     make test-long    the tests again under address and thread sanitizer
#     make bare-check   `make run` and `make test` in a fresh minimal Debian 12 (root)
#     make clean        remove what was built
#
# SWIFT, BUILD_FLAGS and TEST_FLAGS can be given: make test TEST_FLAGS='--filter TidyTests'

SWIFT ?= swift
BUILD_FLAGS ?=
TEST_FLAGS ?=

# Names without a version, so that the same list serves later Debians: g++ brings libstdc++ in the version
# that the toolchain's clang then picks. socat and python3 are for the tests, which drive seamd with them.
PACKAGES := libuv1-dev libsimdjson-dev g++ socat python3

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.SUFFIXES:
.PHONY: help toolchain deps build run test lint test-long bare-check clean

# The commands above are the documentation; printed, they cannot go out of date.
help:
	@sed -n 's/^#     make /make /p' $(firstword $(MAKEFILE_LIST))

toolchain:
	@command -v $(SWIFT) >/dev/null || {
	    echo "make: no '$(SWIFT)' in PATH. Seam needs Swift 6.2 or later: https://www.swift.org/install/linux/" >&2
	    exit 1
	}

# Asks dpkg first: with everything in place this takes milliseconds and needs neither root nor a network.
# apt-get update only if apt does not know the packages, or knows versions that the mirror no longer has.
deps: toolchain
	@if ! command -v dpkg-query >/dev/null; then
	    echo "make: this is not Debian; going on. If the build stops, install what here is called: $(PACKAGES)" >&2
	    exit 0
	fi
	missing=()
	for package in $(PACKAGES); do
	    status=$$(dpkg-query -W -f='$${db:Status-Status}' $$package 2>/dev/null || true)
	    [[ $$status == installed ]] || missing+=($$package)
	done
	(($${#missing[@]})) || exit 0
	as_root=()
	if ((EUID != 0)); then
	    as_root=(sudo -n)
	    sudo -n true 2>/dev/null || {
	        echo "make: these packages are missing, and installing them needs root. Run this, then make again:" >&2
	        echo "    sudo apt-get install --no-install-recommends $${missing[*]}" >&2
	        exit 1
	    }
	fi
	echo "make: installing $${missing[*]}"
	update() { "$${as_root[@]}" apt-get -q update; }
	install() {
	    "$${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 \
	        install -y --no-install-recommends "$${missing[@]}"
	}
	apt-get --simulate install "$${missing[@]}" >/dev/null 2>&1 || update
	install || { update && install; }

build: deps
	@$(SWIFT) build -c release $(BUILD_FLAGS)

run: build
	@Clients/shell/tour.sh "$$($(SWIFT) build -c release --show-bin-path $(BUILD_FLAGS))"

# --disable-xctest: SwiftPM would run XCTest first, which finds nothing and says "Executed 0 tests".
test: deps
	@$(SWIFT) test --disable-xctest $(BUILD_FLAGS) $(TEST_FLAGS)

# The toolchain's own clang, not the one in PATH: that is another version where Debian's clang is installed.
# The header is included twice, since a plug-in of several files will do so.
lint: deps
	@clang=$$($(SWIFT) -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/[^/]*".*|\1/bin/clang|p')
	header='#include "seam_plugin.h"'
	check() {
	    printf '%s\n' "$$header" "$$header" |
	        "$$@" -Wall -Wextra -Werror -fsyntax-only -ISources/CSeamABI/include - ||
	        { echo "make: seam_plugin.h fails under $$*" >&2; exit 1; }
	}
	for compiler in gcc "$$clang"; do
	    check "$$compiler" -x c -std=c99 -Wpedantic
	    check "$$compiler" -x c -std=c11
	    check "$$compiler" -x c++ -std=c++11
	done
	for script in .ci/run Clients/shell/*.sh Tests/*.sh; do bash -n "$$script"; done
	$(SWIFT) format lint --strict --recursive --parallel Sources Tests Plugins Package.swift
	echo "make: lint is clean"

# Folders of their own, so that the everyday build stays as it is. A race is found in most runs, not in all
# (5 of 6 with a planted one): hence the repetition, which is a loop because swift test has none.
test-long: test
	@export SWIFT_BACKTRACE=enable=no
	echo "make: address sanitizer"
	$(SWIFT) test --disable-xctest --sanitize=address --scratch-path .build-asan $(TEST_FLAGS)
	for round in 1 2 3 4 5; do
	    echo "make: thread sanitizer, round $$round of 5"
	    TSAN_OPTIONS=halt_on_error=1 $(SWIFT) test --disable-xctest --sanitize=thread --scratch-path .build-tsan $(TEST_FLAGS)
	done

bare-check:
	@Tests/bare-check.sh

clean:
	@rm -rf .build .build-*
