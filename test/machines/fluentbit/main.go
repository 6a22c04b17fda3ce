// Command fluentbit stands in for Fluent Bit, which no package of the distribution has, on
// machines of tests: it takes the options that units and programs give it, reads its
// configuration again at SIGHUP, says what it includes, and tries what its box keeps from it.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	at := slices.Index(os.Args, "--config")
	if at < 0 || at+1 == len(os.Args) {
		fmt.Fprintln(os.Stderr, "[error] no --config")
		os.Exit(1)
	}
	conf := os.Args[at+1]
	text, err := read(conf)
	if err != nil || strings.Contains(text, "BAD") {
		fmt.Fprintln(os.Stderr, "[error] cannot take the configuration", err)
		os.Exit(1)
	}
	if slices.Contains(os.Args, "--dry-run") {
		return
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	fmt.Println("a program:", exec.Command("/bin/true").Run())
	_, err = os.ReadFile("/etc/shadow")
	fmt.Println("a secret:", err)
	fmt.Println("a file of its configuration:", os.WriteFile(conf, nil, 0o600))
	for {
		fmt.Println("it reads", strings.Join(strings.Fields(text), " "))
		<-again
		if text, err = read(conf); err != nil {
			fmt.Println("it cannot read", err)
		}
	}
}

// read is a configuration with all that it includes.
func read(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read: %w", err)
	}
	var b strings.Builder
	for _, line := range strings.Split(string(content), "\n") {
		name, include := strings.CutPrefix(strings.TrimSpace(line), "@INCLUDE ")
		if !include {
			b.WriteString(line + "\n")
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), name)
		}
		inner, err := read(name)
		if err != nil {
			return "", err
		}
		b.WriteString(inner)
	}
	return b.String(), nil
}
