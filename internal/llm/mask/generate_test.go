package mask

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// gitleaks is the directory of the gitleaks module, whose rules the test below converts:
//
//	go mod download -json github.com/zricethezav/gitleaks/v8@v8.30.1  (prints Dir)
//	go test ./internal/llm/mask -run TestRulesFile -gitleaks DIR
var gitleaks = flag.String("gitleaks", "", "write rules.json from the gitleaks module in this directory")

// leftOut are the rules that are not taken, and why. Rules that apply only to files of
// certain names are not taken either: text of a tool has no name.
var leftOut = map[string]string{
	"generic-api-key":  "it matches any assignment to a name such as token",
	"curl-auth-header": "it matches any header in an example of curl",
	"curl-auth-user":   "it matches any user in an example of curl",
	"private-key":      "privateKeys takes its place, and also finds truncated keys",
}

// sharper replaces keywords that occur in ordinary text by others that every match also
// contains, except the old tokens of Vault: s.isSet looks like the beginning of one.
var sharper = map[string][]string{
	"jwt":                 {".ey"},
	"vault-service-token": {"hvs."},
}

// TestRulesFile checks that each rule compiles, has a keyword and is not one of
// leftOut. With -gitleaks it first writes the file.
func TestRulesFile(t *testing.T) {
	if *gitleaks != "" {
		writeRules(t, *gitleaks)
	}
	all, err := readRules(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Rules) < 200 || !strings.Contains(all.License, "MIT License") {
		t.Fatalf("%d rules, license %q", len(all.Rules), all.License)
	}
	for _, r := range all.Rules {
		if why := leftOut[r.ID]; why != "" {
			t.Errorf("%s must be left out: %s", r.ID, why)
		}
		if len(r.Keywords) == 0 {
			t.Errorf("%s has no keyword", r.ID)
		}
		for _, pattern := range append(slices.Clone(r.Allow), r.Pattern) {
			if _, err := regexp.Compile(pattern); err != nil {
				t.Errorf("%s: %v", r.ID, err)
			}
		}
	}
}

func writeRules(t *testing.T, dir string) {
	config, err := os.ReadFile(filepath.Join(dir, "config", "gitleaks.toml"))
	if err != nil {
		t.Fatal(err)
	}
	license, err := os.ReadFile(filepath.Join(dir, "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	sections := parseTOML(string(config))
	out := ruleSet{Source: "https://github.com/gitleaks/gitleaks " + filepath.Base(dir) + " config/gitleaks.toml", License: string(license)}
	for _, s := range sections {
		last := len(out.Rules) - 1
		switch {
		case s.name == "allowlist":
			out.Allow, out.Stop = s.values["regexes"], s.values["stopwords"]
		case s.name == "rules":
			out.Rules = append(out.Rules, convert(t, s))
		case s.name == "rules.allowlists" && len(s.values["paths"]) == 0 && len(s.values["regexTarget"]) == 0:
			out.Rules[last].Allow = append(out.Rules[last].Allow, s.values["regexes"]...)
			out.Rules[last].Stop = append(out.Rules[last].Stop, s.values["stopwords"]...)
		}
	}
	out.Rules = slices.DeleteFunc(out.Rules, func(r rule) bool { return r.Pattern == "" || leftOut[r.ID] != "" })
	text, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("rules.json", append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	rulesFile = string(text)
}

// convert returns the rule of a section; without a pattern if it is only for files of
// certain names.
func convert(t *testing.T, s section) rule {
	r := rule{ID: s.values["id"][0], Keywords: s.values["keywords"]}
	if own := sharper[r.ID]; own != nil {
		r.Keywords = own
	}
	if len(s.values["path"]) > 0 {
		return r
	}
	r.Pattern = s.values["regex"][0]
	if v := s.values["entropy"]; v != nil {
		r.Entropy, _ = strconv.ParseFloat(v[0], 64)
	}
	if v := s.values["secretGroup"]; v != nil {
		r.Group, _ = strconv.Atoi(v[0])
	}
	parsed, err := syntax.Parse(r.Pattern, syntax.Perl)
	if err != nil {
		t.Fatalf("%s: %v", r.ID, err)
	}
	r.Max = maxLength(parsed)
	return r
}

// maxLength returns the length in bytes of the longest match; 0 if it is unlimited.
func maxLength(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return len(string(re.Rune)) * 2 // a folded letter may be longer
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 4
	case syntax.OpStar, syntax.OpPlus:
		return 0
	case syntax.OpRepeat, syntax.OpQuest, syntax.OpCapture:
		n := maxLength(re.Sub[0])
		if re.Op == syntax.OpRepeat {
			n *= re.Max
		}
		return max(n, 0)
	case syntax.OpConcat, syntax.OpAlternate:
		total := 0
		for _, sub := range re.Sub {
			n := maxLength(sub)
			if n == 0 && !empty(sub) {
				return 0
			}
			total = max(total, n)
			if re.Op == syntax.OpConcat {
				total += n
			}
		}
		return total
	}
	return 0
}

// empty reports whether re matches only the empty string.
func empty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpCapture:
		return empty(re.Sub[0])
	case syntax.OpConcat, syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !empty(sub) })
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	return false
}

// section is a table of the configuration. A value that is no list has one element.
type section struct {
	name   string
	values map[string][]string
}

var (
	tomlHead = regexp.MustCompile(`^\[+([a-z.]+)\]+$`)
	tomlKey  = regexp.MustCompile(`^([a-zA-Z]+) = (.*)$`)
	tomlText = regexp.MustCompile(`'''(.*?)'''|"((?:[^"\\]|\\.)*)"|([0-9.]+)`)
)

// parseTOML reads the part of TOML that the configuration of gitleaks uses.
func parseTOML(text string) (all []section) {
	all = []section{{values: map[string][]string{}}}
	key := "" // of an open list
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if key == "" {
			if strings.HasPrefix(line, "#") || line == "" {
				continue
			}
			if m := tomlHead.FindStringSubmatch(line); m != nil {
				all = append(all, section{m[1], map[string][]string{}})
				continue
			}
			m := tomlKey.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			if key, line = m[1], m[2]; !strings.HasPrefix(line, "[") {
				line += "]" // ends at once
			}
		}
		values := all[len(all)-1].values
		if !strings.HasPrefix(line, "#") {
			for _, m := range tomlText.FindAllStringSubmatch(line, -1) {
				value := m[1] + m[3]
				if m[2] != "" {
					value, _ = strconv.Unquote(`"` + m[2] + `"`)
				}
				values[key] = append(values[key], value)
			}
		}
		if strings.HasSuffix(line, "]") {
			key = ""
		}
	}
	return all
}
