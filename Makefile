# Everything that a contributor or a first-time user runs. Each target installs
# what it needs.
SHELL := /bin/bash
QUORUM_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/quorum
export PATH := $(QUORUM_CACHE)/go/bin:$(PATH)

# The suites of end-to-end tests on virtual machines. Three etcd members: the root
# Pulumi.yaml, changes while a client writes, a broken data volume and a wrong
# clock, a majority lost with its disks, instances of a made-up OpenStack, a
# program in Python, a site that is lost with all disks, members and nodes that Terraform made
# (skipped without its modules and providers, QUORUM_TERRAFORM). And the platform: its settings and certificates, its
# authority, what becomes of its leader, and all of its machines rebuilt.
VMS ?= quickstart debian12 live drives changes disks recover openstack python site settings authority failover roll terraform terraform-postgres

# Where tests in Python are, the longest first.
PYTHON_TESTS = provider/postgres/backup provider/etcd/backup provider/guest/apply provider/guest/host/judge provider/guest/host/mirror \
	provider/guest/host/start provider/guest/host/live provider/guest/host/software provider/dns/coredns/zone provider/postgres/patroni/program provider/postgres/upgrade provider/etcd/config/join

# Of tests that fail, if they are few, each runs RERUNS more times, and all failures are told: a
# machine that CI shares may stand still for longer than a test waits.
RERUNS ?= 0
GOTEST = "$$(tools/build gotestsum)/gotestsum" --rerun-fails=$(RERUNS) --rerun-fails-max-failures=3 --rerun-fails-run-root-test

SDKGEN_FLAGS = -version "$$(<provider/version/VERSION)" -logo docs/logo.png -beside sdk/README.md,LICENSE

# What a release has plugins for.
PLATFORMS ?= linux-amd64 linux-arm64 darwin-amd64 darwin-arm64

.PHONY: bench build demo demo-down docs e2e e2e-containers e2e-python e2e-tools e2e-vms $(VMS:%=e2e-vms-%) explore generate install lint release sdk test

demo: ## an etcd cluster of three virtual machines, in a sandbox or on LIBVIRT_URI
	tools/setup demo
	test/machines/demo/demo up

demo-down: ## takes it down
	test/machines/demo/demo down

test: sdk ## all tests that need neither root nor virtual machines, but for the tests LATER, like "TestEtcd|TestDatabaseRecovery", and PYTHON_LATER, of PYTHON_TESTS
	tools/setup test
	tools/build >/dev/null
	tools/build languages >/dev/null
	tools/build coredns >/dev/null
	tools/build openstack >/dev/null
	tools/build etcd >/dev/null
	tools/build s3 >/dev/null
	go test -C tools/plugins ./internal/...
	tools/build --test
	$(GOTEST) --format pkgname --packages ./... -- -timeout 60m -parallel 4 -skip '^($(LATER))$$'
	printf '%s\n' $(filter-out $(PYTHON_LATER),$(PYTHON_TESTS)) | ETCD="$$(tools/build etcd)/etcd-3.5.16" S3="$$(tools/build s3)" \
		xargs -P 2 -I{} sh -c 'for _ in $$(seq 0 $(RERUNS)); do python3 -m unittest discover -q -s {} && exit; done; exit 1'

explore: ## more random programs and faults: as many sequences as ETCD and POSTGRES say, from the seed SEED on
	tools/setup test
	tools/build >/dev/null
	EXPLORE_ETCD=$(or $(ETCD),500) EXPLORE_POSTGRES=$(or $(POSTGRES),100) EXPLORE_SEED=$(or $(SEED),1) \
		go test -count=1 -timeout 12h -v ./test/suites/explore

e2e: e2e-containers e2e-vms ## real clusters; needs root. VMS="quickstart ..." chooses among the suites on virtual machines

e2e-vms: $(VMS:%=e2e-vms-%) ## the same where disks, boot, the drive and the libvirt plugin matter

e2e-containers: e2e-tools ## on nspawn machines, for breadth, but for the tests SKIP, like "TestPlatform/roll|TestOpenStack", or only RUN
	$(GOTEST) --format standard-verbose --packages ./test/machines/e2e -- -tags e2e -timeout $(or $(LIMIT),80m) -run '$(value RUN)' -skip '$(value SKIP)'

e2e-tools:
	tools/setup e2e
	test/machines/sandbox/sandbox install
	for tool in engine languages coredns openstack s3; do tools/build $$tool >/dev/null || exit; done

e2e-vms-quickstart:
	tools/setup demo
	test/machines/e2e/vms

e2e-vms-debian12:
	tools/setup demo
	QUORUM_DEBIAN=12 test/machines/e2e/vms

e2e-vms-drives: e2e-tools # ten cloud-init drives: none hangs, and none is left by a kill
	test "$$(test/machines/bench/drives 5 | tee /dev/stderr | awk '{faults += ($$1 == "kill" ? 0 : $$3) + $$4} END {print faults}')" = 0

e2e-vms-changes: TEST = TestEtcdChange
e2e-vms-disks: TEST = TestDataVolume
e2e-vms-recover: TEST = TestEtcdMajorityLost
e2e-vms-openstack: TEST = TestOpenStack
e2e-vms-python: TEST = TestQuickstart
e2e-vms-live: TEST = TestLive
e2e-vms-site: TEST = TestSite
e2e-vms-terraform: TEST = TestTakenOverFromTerraform
e2e-vms-terraform-postgres: TEST = TestDatabaseTakenOverFromTerraform
e2e-vms-terraform-postgres: LIMIT = 150m
e2e-vms-settings: STEPS = data_volume|growth|zone|unchanged|settings|logins|resolvers|certificates|mistake
e2e-vms-authority: STEPS = authority
e2e-vms-failover: STEPS = leader_killed|watchdog
e2e-vms-roll: STEPS = roll
e2e-vms-settings e2e-vms-authority e2e-vms-failover e2e-vms-roll: TEST = TestPlatform$$/^(boot|replication|$(STEPS)|destroy)
e2e-vms-python: e2e-python
$(filter-out e2e-vms-quickstart e2e-vms-debian12 e2e-vms-drives,$(VMS:%=e2e-vms-%)): e2e-tools
	QUORUM_MACHINES=virtual go test -tags e2e -timeout $(or $(LIMIT),80m) -run '^$(TEST)$$' -v ./test/machines/e2e

e2e-python:
	tools/setup sdk
	tools/sdk python

bench: e2e-tools ## measures; writes docs/benchmarks.md, or only what BENCH=many, boot, drives, backups, founded, gaps or settings says anew; BENCH_PLUGIN is another build of the libvirt plugin for drives; needs root
	tools/setup demo
	go test -tags bench -count=1 -timeout 90m -run 'TestBench/^$(BENCH)' -v ./test/machines/bench

build: ## the provider
	go build -o bin/pulumi-resource-quorum ./provider/cmd/pulumi-resource-quorum

install: build ## the provider and the libvirt plugin, for the pulumi in PATH
	pulumi plugin install resource quorum "$$(<provider/version/VERSION)" --file bin/pulumi-resource-quorum --reinstall
	pulumi plugin install resource libvirt "$$(<provider/machine/libvirt/PLUGIN_VERSION)" --file "$$(tools/build plugins)/pulumi-resource-libvirt" --reinstall

release: ## both, packed for PLATFORMS in bin/release, with their checksums
	for platform in $(PLATFORMS); do tools/release bin/release "$$platform" || exit; done

generate: ## schema.json, its examples, the tables in docs/ and sdk/ from it
	go test ./provider -run TestSchema -update # what examples are converted by
	"$$(tools/build sdkgen)/sdkgen" $(SDKGEN_FLAGS) -examples provider/examples schema.json
	go test ./provider -run 'TestSchema|TestDocs' -update
	tools/gensdk

docs: ## the site of docs/, in bin/site, with its links checked; `tools/site/site serve` shows it
	tools/setup docs
	tools/site/site

sdk: ## builds the SDKs of all languages and checks them, with the examples in their languages
	tools/setup sdk
	tools/gensdk
	"$$(tools/build sdkgen)/sdkgen" $(SDKGEN_FLAGS) schema.json sdk dotnet java
	tools/sdk

lint: ## formatting, dependencies, shell, Python
	tools/setup lint
	shellcheck -x -P SCRIPTDIR test/machines/demo/demo test/machines/e2e/vms test/machines/bench/boot test/machines/bench/drives tools/build tools/gensdk tools/release tools/sdk tools/setup tools/site/site test/machines/sandbox/sandbox provider/dns/coredns/check-corefile provider/guest/host/live/quorum-resolver provider/etcd/config/etcd-auth provider/postgres/backup/quorum-follow provider/postgres/backup/quorum-wal provider/postgres/haproxy/haproxy-container provider/postgres/haproxy/haproxy-answers provider/postgres/keepalived/keepalived-here provider/postgres/pgbouncer/quorum-pgbouncer
	if command -v pyflakes3 >/dev/null; then pyflakes3 $$(git ls-files '*.py' ':!sdk') $$(git grep -lI '^#!.*python3' -- ':!*.py' ':!*/testdata/*' ':!sdk'); else echo "pyflakes3 is missing: Python is not looked at" >&2; fi
	GOLANGCI_LINT_CACHE="$(CURDIR)/bin/lint-cache" "$$(tools/build lint)/golangci-lint" run ./... # it remembers paths
	cd examples/go && GOLANGCI_LINT_CACHE="$(CURDIR)/bin/lint-cache" "$$(../../tools/build lint)/golangci-lint" run ./...
