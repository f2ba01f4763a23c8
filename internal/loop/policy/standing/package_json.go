package standing

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// descriptive are the sections of package.json that describe a package and what it needs.
// They do not decide which programs the scripts of the package run. All others may: next
// to scripts, tools such as wireit and lint-staged keep commands in sections of their own.
var descriptive = [...]string{
	"name", "version", "description", "keywords", "homepage", "bugs", "license", "licenses", "author", "contributors", "maintainers", "funding", "repository",
	"private", "files", "main", "module", "browser", "types", "typings", "exports", "sideEffects", "os", "cpu", "engines",
	"dependencies", "devDependencies", "peerDependencies", "peerDependenciesMeta", "optionalDependencies", "bundleDependencies", "bundledDependencies",
}

// packageSum returns a hash of the sections of a package.json that decide which programs
// its scripts run. It is empty if the content is not a JSON object, as for other files.
func packageSum(content []byte) string {
	var sections map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(content, []byte("\ufeff")), &sections); err != nil || sections == nil {
		return ""
	}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		if slices.Contains(descriptive[:], name) {
			if strings.HasSuffix(name, "ependencies") {
				for _, line := range addresses(sections[name]) {
					h.Write(line)
				}
			}
			continue
		}
		section, err := json.Marshal([]any{name, sections[name]}) // without white space
		if err != nil {
			return ""
		}
		h.Write(section)
	}
	return sumOf(h)
}

// addresses returns the entries of a section whose package does not come from the registry
// under its own name, such as "file:./x", "git+https://h/x", "user/x" and "npm:other".
// Installing such a package runs its scripts.
func addresses(section json.RawMessage) (out [][]byte) {
	var packages map[string]json.RawMessage
	if json.Unmarshal(section, &packages) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		var from string
		if json.Unmarshal(packages[name], &from) == nil && strings.ContainsAny(from, ":/") {
			line, _ := json.Marshal([]string{name, from}) // strings never fail
			out = append(out, line)
		}
	}
	return out
}
