// Command sdkgen writes the SDKs of a Pulumi package schema.
//
// It calls the code generators in process: those for Java and .NET are to be had as Go modules for
// an older CLI only. The other SDKs are written by the CLI itself, see tools/gensdk.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const usage = `usage: sdkgen [-version V] [-logo FILE] [-beside FILE,...] SCHEMA OUT LANGUAGE...
       sdkgen -examples DIR [-version V] SCHEMA

Writes OUT/LANGUAGE for each of: dotnet java. Or writes, beside
each YAML program in DIR, what the description of a resource shows of it.
`

//go:embed pom.xml
var pom string

func main() {
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, usage)
		flag.PrintDefaults()
	}
	version := flag.String("version", "", "version of the package, when the schema has none")
	logo := flag.String("logo", "", "image file for the NuGet package (dotnet only)")
	beside := flag.String("beside", "", "files to put in each SDK")
	examples := flag.String("examples", "", "folder with YAML programs")
	flag.Parse()
	if flag.NArg() < 1 || *examples == "" && flag.NArg() < 3 {
		flag.Usage()
		os.Exit(2)
	}
	schema, err := os.ReadFile(flag.Arg(0))
	exitOn(err)
	if *examples != "" {
		exitOn(convertExamples(schema, *version, *examples))
		return
	}
	for _, language := range flag.Args()[2:] {
		files, err := generate(schema, language, *version, *logo)
		exitOn(err)
		if language == "java" {
			files["pom.xml"] = []byte(strings.ReplaceAll(pom, "${VERSION}", *version))
		}
		for _, file := range strings.FieldsFunc(*beside, func(c rune) bool { return c == ',' }) {
			files[filepath.Base(file)], err = os.ReadFile(file)
			exitOn(err)
		}
		exitOn(write(filepath.Join(flag.Arg(1), language), files))
		fmt.Printf("%s: %d files\n", language, len(files))
	}
}

// built is what a build leaves in an SDK.
var built = map[string]bool{"bin": true, "node_modules": true, "target": true}

// write replaces dir, so that a file that is no longer generated disappears.
// What was built stays: it has packages that were downloaded.
func write(dir string, files map[string][]byte) error {
	old, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, entry := range old {
		if built[entry.Name()] {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "sdkgen:", err)
		os.Exit(1)
	}
}
