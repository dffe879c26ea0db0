# What developers run. Every target installs what it needs by itself.

GOLANGCI_LINT := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: run build test examples race stress lint fmt fuzz bench conformance

run: ## the agent in this folder; PROMPT="..." is what it is asked
	go run ./cmd/rondo -p "$(or $(PROMPT),list)"

build: ## the binary ./rondo
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o rondo ./cmd/rondo

test: ## all tests
	go test ./...

examples: ## the tables of Pi's 78 example extensions, beside Pi itself, and in Node and Bun
	RONDO_EXAMPLES=all go test -count=1 -run PiExamples -v ./extension/script
	RONDO_EXAMPLES=all go test -count=1 -run HostExamples -v ./extension/script

# The script engine is C made into Go, works on one goroutine, and is fifteen times slower when
# it is watched.
NORACE := -gcflags=modernc.org/libquickjs=-race=false -gcflags=modernc.org/libc=-race=false

race: ## all tests with the race detector, in random order
	go test -race -shuffle=on $(NORACE) ./...

stress: ## all tests beside 16 busy processes
	scripts/stress

lint: ## vet, static analysis, formatting, and the import rules of the layers
	go vet ./...
	$(GOLANGCI_LINT) run

fmt: ## format all files
	$(GOLANGCI_LINT) fmt

conformance: ## the recorded scenarios of Pi 0.85, against the binary and the kernel
	go test -count=1 ./conformance -run TestScenarios
	go test -count=1 ./agent -run TestCore

bench: ## the table of ratios beside Pi 0.85.0, then the Go benchmarks of the event path
	go run ./bench
	go test -run '^$$' -bench . -benchmem ./agent ./ai/... ./transcript/jsonl

FUZZTIME := 60s
fuzz: ## every fuzz target for FUZZTIME
	scripts/fuzz $(FUZZTIME)
