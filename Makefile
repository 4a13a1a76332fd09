# Seam's commands. `make run` shows it at work, `make test` checks it; each starts with whatever it needs.
#
#     make deps         install the Debian packages (as root or through sudo; otherwise says what to install)
#     make build        release build: seamd, seam and the plug-ins in .build/release
#     make run          build, play the five lessons, watch one of them live
#     make test         every test but the long ones
#     make lint         formatting, plug-in header under gcc and clang as C99, C11 and C++11, scripts
#     make test-long    the long runs of faults, kills, soak and model; all tests under address and thread sanitizer
#     make test-pypi    the part of them that needs PyPI: other people's JSON-RPC clients, pip install, axe-core
#     make mutate       break the kernel rule by rule: a test of each has to fail (about 20 minutes)
#     make docs         SeamKit's pages and its tutorial, into DOCS (.build/docs); a warning is an error
#     make screenshots  the dashboard's views as pictures, into SHOTS (installs chromium)
#     make bench        measure seamd beside Redis and a bare relay, about two minutes (installs redis-server)
#     make bench-guard  count the instructions of one event, compare with the record (installs valgrind)
#     make install      install into PREFIX (/usr/local); DESTDIR goes before it, BIN is what was built elsewhere
#     make uninstall    take away what `make install` has put there
#     make bare-check   `make run` and `make test` in a fresh minimal Debian 12 (root)
#     make clean        remove what was built
#
# SWIFT, BUILD_FLAGS, TEST_FLAGS and BENCH_FLAGS can be given: make test TEST_FLAGS='--filter TidyTests'

SWIFT ?= swift
BUILD_FLAGS ?=
TEST_FLAGS ?=
PREFIX ?= /usr/local
DESTDIR ?=
BIN ?=
BENCH_FLAGS ?=
SHOTS ?= .build/screenshots
DOCS ?= .build/docs
# bench-guard: `check` compares with the record, `record` writes it anew.
GUARD ?= check

# Names without a version, so that the same list serves later Debians: g++ brings libstdc++ in the version
# that the toolchain's clang then picks. socat, jq, python3 and nodejs are for the tests, which drive seamd with them,
# and so are the Python packages; scdoc writes the manual pages.
PACKAGES := libuv1-dev libwebsockets-dev libwebsockets-evlib-uv libsimdjson-dev libncurses-dev g++ socat jq \
    python3 nodejs scdoc python3-pytest python3-hypothesis python3-jsonschema mypy
# What the tests use when it is there, and `make test-long` installs: a browser, the compiler that checks types, promtool.
MORE_PACKAGES := chromium node-typescript prometheus

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.SUFFIXES:
.PHONY: help toolchain deps build run test lint test-long test-pypi mutate docs screenshots bench bench-guard install uninstall bare-check clean

# The commands above are the documentation; printed, they cannot go out of date.
help:
	@sed -n 's/^#     make /make /p' $(firstword $(MAKEFILE_LIST))

toolchain:
	@command -v $(SWIFT) >/dev/null || {
	    echo "make: no '$(SWIFT)' in PATH. Seam needs Swift 6.3 or later: https://www.swift.org/install/linux/" >&2
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
# What failed is told again at the end: among thousands of lines of tests that ran side by side nobody finds it.
test: deps
	@log=$$(mktemp)
	trap 'rm -f "$$log"' EXIT
	$(SWIFT) test --disable-xctest $(BUILD_FLAGS) $(TEST_FLAGS) 2>&1 | tee "$$log" || {
	    echo "make: what failed:" >&2
	    grep -aE 'recorded an issue|[Ff]atal error|error:' "$$log" >&2 || tail -n 20 "$$log" >&2
	    exit 1
	}

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
	for script in .ci/run Clients/shell/*.sh Tests/*.sh Tests/Conversations/*.sh; do bash -n "$$script"; done
	$(SWIFT) format lint --strict --recursive --parallel Sources Tests Plugins Package.swift
	echo "make: lint is clean"

# With SEAM_LONG=1 the tests of these names take minutes: 100,000 connections, 200 kills, 100,000 requests against
# the model. One after the other, since some measure time and memory.
# The sanitizers have folders of their own, so that the everyday build stays as it is. A race is found in most runs, not in all
# (5 of 6 with a planted one): hence the repetition, which is a loop because swift test has none.
test-long: test
	@$(again) -s deps PACKAGES='$(MORE_PACKAGES)' || echo "make: going on without $(MORE_PACKAGES)" >&2
	$(SWIFT) test --disable-xctest --filter '(NodeClient|GateMetrics|DashboardPage)Tests' $(BUILD_FLAGS)
	export SWIFT_BACKTRACE=enable=no
	echo "make: long runs"
	SEAM_LONG=1 $(SWIFT) test --disable-xctest --no-parallel --filter '(Fault|Kill|KitVersion|Memory|PluginCheck|Soak|Model|Recording|DashboardLoad)Tests' $(BUILD_FLAGS)
	echo "make: address sanitizer"
	# What crashes on purpose is told by seamd itself.
	ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigill=0 \
	    $(SWIFT) test --disable-xctest --sanitize=address --scratch-path .build-asan $(TEST_FLAGS)
	for round in 1 2 3 4 5; do
	    echo "make: thread sanitizer, round $$round of 5"
	    TSAN_OPTIONS=halt_on_error=1 $(SWIFT) test --disable-xctest --sanitize=thread --scratch-path .build-tsan $(TEST_FLAGS)
	done
	$(again) test-pypi

# Needs PyPI, for JSON-RPC clients that nobody here wrote and for installing the package as its users do. Debian's python3
# has pytest; what comes on top of it stays in a folder of its own. axe-playwright-python is there for one file of it, axe-core.
test-pypi: build
	@bin=$$($(SWIFT) build -c release --show-bin-path $(BUILD_FLAGS))
	venv=.build/python-venv
	echo "make: Python clients from PyPI"
	$(again) -s deps PACKAGES=python3-venv
	/usr/bin/python3 -m venv --system-site-packages "$$venv"
	"$$venv/bin/pip" install -q aiorpcX jsonrpyc || {
	    echo "make: PyPI can't be reached, so nothing is known of other JSON-RPC clients and of pip install" >&2
	    exit 1
	}
	SEAM_BIN=$$bin "$$venv/bin/python" -m pytest -q Clients/python/long
	SEAM_LONG=1 SEAM_BIN=$$bin "$$venv/bin/python" -m pytest -q Clients/python/tests/test_openrpc.py
	echo "make: the dashboard under axe-core"
	$(again) -s deps PACKAGES=chromium
	"$$venv/bin/pip" install -q --no-deps axe-playwright-python
	axe=$$(find "$$venv" -path '*/axe_playwright_python/axe.min.js')
	SEAM_AXE=$$axe SEAMD=$$bin/seamd node --test Tests/Browser/axe.test.mjs

# make itself, by a name that it does not know: a recipe that says $(MAKE) is carried out by `make -n` too.
again := $(MAKE)

# With the toolchain's own docc, which lies beside the compiler. What it is given is taken from the built modules: SwiftPM's own
# command for that builds every target of the package once more.
docs: $(if $(BIN),toolchain,deps)
	@bin="$(BIN)"
	[[ -n $$bin ]] || {
	    $(SWIFT) build -c release --target SeamUIKit $(BUILD_FLAGS)
	    bin=$$($(SWIFT) build -c release --show-bin-path $(BUILD_FLAGS))
	}
	info=$$($(SWIFT) -print-target-info)
	tools=$$(sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/[^/]*".*|\1/bin|p' <<<"$$info")
	target=$$(sed -n 's|.*"unversionedTriple": "\(.*\)".*|\1|p' <<<"$$info")
	symbols=$$(mktemp -d)
	trap 'rm -rf "$$symbols"' EXIT
	for module in SeamKit SeamUIKit; do
	    "$$tools/swift-symbolgraph-extract" -module-name $$module -target "$$target" -I "$$bin/Modules" \
	        -Xcc "-fmodule-map-file=$$bin/CSeamABI.build/module.modulemap" -minimum-access-level public \
	        -skip-inherited-docs -skip-synthesized-members -output-dir "$$symbols"
	done
	"$$tools/docc" convert Sources/SeamKit/SeamKit.docc --additional-symbol-graph-dir "$$symbols" \
	    --fallback-display-name SeamKit --fallback-bundle-identifier seam.SeamKit \
	    --transform-for-static-hosting --warnings-as-errors --output-dir "$(DOCS)"
	echo "make: python3 -m http.server --directory $(DOCS), then http://localhost:8000/tutorials/tutorial-table-of-contents"

screenshots: build
	@$(again) -s deps PACKAGES=chromium
	bin=$$($(SWIFT) build -c release --show-bin-path $(BUILD_FLAGS))
	SEAMD=$$bin/seamd node Tests/Browser/screenshots.mjs "$(SHOTS)"

# The plug-in is built with the header alone, and into a folder of its own, where no other seamd looks for any.
# Without Redis the bench measures the rest and says so.
mutate: deps
	@SWIFT="$(SWIFT)" Tests/mutate.py

bench: build
	@$(again) -s deps PACKAGES=redis-server || echo "make: going on without Redis" >&2
	bin=$$($(SWIFT) build -c release --show-bin-path $(BUILD_FLAGS))
	umask 022
	mkdir -p "$$bin/bench"
	cc -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden -ISources/CSeamABI/include \
	    -o "$$bin/bench/libseam-bench.so" Sources/CSeamBench/plugin/bench_plugin.c
	"$$bin/seam-bench" $(BENCH_FLAGS)

bench-guard: deps
	@$(again) -s deps PACKAGES=valgrind
	$(SWIFT) build -c release --product seam-bench-guard $(BUILD_FLAGS)
	"$$($(SWIFT) build -c release --show-bin-path $(BUILD_FLAGS))/seam-bench-guard" $(GUARD) Sources/seam-bench-guard/recorded.json

# Everything below PREFIX finds the rest by where it lies itself, so PREFIX may be moved, and DESTDIR tried, as they
# are: seam its seamd, seamd its plug-ins, both the Swift runtime. That is copied from the toolchain: without it the
# programs would run only where the toolchain is. Linked statically it would be a second one in seamd, beside that of
# the Swift plug-ins, whose main queue nobody drains.
# share/seam/installed lists what is there: a newer version takes away what it no longer has, `make uninstall` all.
# With BIN=FOLDER nothing is built: for packages, and for root, who need not have the toolchain.
install: $(if $(BIN),,build)
	@bin="$(BIN)"
	[[ -n $$bin ]] || bin=$$($(SWIFT) build -c release --show-bin-path $(BUILD_FLAGS))
	root="$(DESTDIR)$(PREFIX)"
	list=$$root/share/seam/installed
	[[ "$(PREFIX)" == /* ]] || { echo "make: PREFIX is an absolute path, not '$(PREFIX)'" >&2; exit 1; }
	# It stands in unit files, where systemd reads more than a path.
	[[ "$(PREFIX)" =~ ^[[:alnum:]\ /._+@~,:=-]*$$ ]] || {
	    echo "make: PREFIX is '$(PREFIX)'; letters, digits, blanks and / . _ + @ ~ , : = - can be in it" >&2
	    exit 1
	}
	command -v scdoc >/dev/null || { echo "make: scdoc writes the manual pages: apt-get install scdoc" >&2; exit 1; }
	programs=(seamd seam seam-gate seam-plugin-check)
	for program in "$${programs[@]}"; do
	    [[ -x $$bin/$$program ]] || { echo "make: there is no $$bin/$$program; make build first" >&2; exit 1; }
	done
	drafts=$$(mktemp -d)
	trap 'rm -rf "$$drafts"' EXIT
	old=$$(cat "$$list" 2>/dev/null || true)
	new=()
	place() { # MODE SOURCE TARGET
	    install -D -m "$$1" "$$2" "$$root/$$3"
	    printf '%s\n' "$$3" >>"$$list"
	    new+=("$$3")
	}
	install -d -m 755 "$$root/share/seam"
	files=()
	for program in "$${programs[@]}"; do
	    place 755 "$$bin/$$program" "bin/$$program"
	    files+=("$$bin/$$program")
	done
	for folder in Plugins/*/; do
	    library=lib$$(basename "$$folder").so
	    [[ -e $$bin/$$library ]] || continue
	    place 644 "$$bin/$$library" "lib/seam/plugins/$$library"
	    files+=("$$bin/$$library")
	done
	while IFS= read -r library; do
	    place 644 "$$library" "lib/seam/swift/$$(basename "$$library")"
	done < <(ldd "$${files[@]}" | awk '$$3 ~ /\/lib(swift|dispatch|BlocksRuntime|_?Foundation)[^\/]*$$/ { print $$3 }' | sort -u)
	place 644 Sources/CSeamABI/include/seam_plugin.h include/seam_plugin.h
	# A package of SeamKit and what pasted code imports: what `seam plugin new` builds a plug-in in Swift with.
	place 644 Sources/SeamKit/Package.swift.installed share/seam/Package.swift
	for file in Sources/SeamKit/*/*.swift Sources/{SeamUIKit,SwiftUI,UIKit,Combine,_Testing_UIKit,_Testing_AppKit}/*.swift \
	    Sources/CSeamABI/*.c Sources/CSeamABI/include/*; do
	    place 644 "$$file" "share/seam/$$file"
	done
	for file in Dashboards/*; do place 644 "$$file" "share/seam/$$file"; done
	"$$bin/seam" __manual | scdoc >"$$drafts/seam.1"
	scdoc <Sources/seamd/Manual/seamd.8.scd >"$$drafts/seamd.8"
	scdoc <Sources/seam-gate/Manual/seam-gate.8.scd >"$$drafts/seam-gate.8"
	place 644 "$$drafts/seam.1" share/man/man1/seam.1
	place 644 "$$drafts/seamd.8" share/man/man8/seamd.8
	place 644 "$$drafts/seam-gate.8" share/man/man8/seam-gate.8
	for shell in bash zsh fish; do "$$bin/seam" completion $$shell >"$$drafts/$$shell"; done
	place 644 "$$drafts/bash" share/bash-completion/completions/seam
	place 644 "$$drafts/zsh" share/zsh/site-functions/_seam
	place 644 "$$drafts/fish" share/fish/vendor_completions.d/seam.fish
	for unit in Sources/{seamd,seam-gate}/systemd/{system,user}/*; do
	    [[ -e $$unit ]] || continue
	    sed 's|@bindir@|$(PREFIX)/bin|g' "$$unit" >"$$drafts/unit"
	    place 644 "$$drafts/unit" "lib/$${unit#Sources/*/}"
	done
	for file in $$old; do [[ " $${new[*]} " == *" $$file "* ]] || rm -f -- "$$root/$$file"; done
	printf '%s\n' "$${new[@]}" >"$$list"
	echo "make: Seam is installed in $$root"

uninstall:
	@root="$(DESTDIR)$(PREFIX)"
	list=$$root/share/seam/installed
	[[ -f $$list ]] || { echo "make: there is no $$list: nothing to take away" >&2; exit 1; }
	while IFS= read -r file; do rm -f -- "$$root/$$file"; done <"$$list"
	rm -f "$$list"
	# Its own folders, unless somebody has put something of theirs in them.
	find "$$root/lib/seam" "$$root/share/seam" -depth -type d -empty -delete

bare-check:
	@Tests/bare-check.sh

clean:
	@rm -rf .build .build-*
