package policy

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"agent/internal/bash"
	"agent/internal/loop/policy/command"
	"agent/internal/loop/policy/rule"
	"agent/internal/realpath"
	"agent/internal/tools/protect"
)

// WithheldFromPrompts returns a function that returns why a file must not be imported into a
// prompt: it is protected, or it may hold secrets. The reason is empty if the file may
// be imported, as Markdown files of coding assistants, such as .claude/rules.md, may.
// Paths are absolute. The function is safe for concurrent use.
func (p Paths) WithheldFromPrompts() func(path string) string {
	var mu sync.Mutex
	var ps *protectedSet
	return func(path string) string {
		names := realpath.Steps(path)
		if slices.ContainsFunc(names, func(name string) bool { return secretName(filepath.Base(name)) }) {
			return "its name says that it may hold secrets"
		}
		mu.Lock()
		defer mu.Unlock()
		if ps == nil {
			ps = p.protectedSet()
		}
		reason := ps.protection(path, nil)
		if isText := protect.Fold(filepath.Ext(names[len(names)-1])) == protect.Fold(".md"); isText && (reason == assistant || reason == ownCommands) {
			return ""
		}
		if reason != "" {
			return "it is protected, because it " + reason
		}
		return ""
	}
}

// secretPatterns are the names of files that usually hold secrets: environment files,
// private keys and passwords. A star stands for any text.
var secretPatterns = []string{
	".env", ".env.*", ".env-*", ".envrc*", "*.env", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa.pub", "id_dsa.pub", "id_ecdsa.pub", "id_ed25519.pub",
	"*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.asc", "*.gpg",
	".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".git-credentials", ".htpasswd", ".dockercfg",
	"credentials", "credentials.json", "secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml", "service-account*.json", "service_account*.json",
	"*.tfstate",
}

// backupEnds are endings that editors and people append to the name of a copy.
var backupEnds = []string{"~", ".bak", ".backup", ".old", ".orig", ".save", ".copy", ".swp"}

// secretName reports whether a file of that name usually holds secrets.
func secretName(name string) bool {
	name = strings.ToLower(protect.Fold(name))
	for _, end := range backupEnds {
		name = strings.TrimSuffix(name, end)
	}
	return slices.ContainsFunc(secretPatterns, func(pattern string) bool {
		ok, _ := path.Match(pattern, name) // the patterns are valid
		return ok
	})
}

// publicExtensions are those of files that hold no secrets, whatever their names.
var publicExtensions = []string{".example", ".sample", ".template", ".dist", ".pub"}

// SecretFile reports whether reading the file at path needs approval, because its name
// says that it holds secrets. Examples of such files, like .env.example, and public keys
// do not. It does not look at the file or follow links: call it for each name of a file.
func SecretFile(path string) bool {
	name := strings.ToLower(protect.Fold(filepath.Base(path)))
	return !slices.Contains(publicExtensions, filepath.Ext(name)) && secretName(name)
}

// expansion matches what a shell replaces in a word without quotes.
var expansion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\\$\\{[^{}]*\\}|\\$\\([^()]*\\)|`[^`]*`|\\$\\w+|\\$[@*#?!$-]|(^|[=:])~[^/]+")
})

// unquoter removes the quotes of a shell.
var unquoter = strings.NewReplacer(`$'`, "", `$"`, "", `'`, "", `"`, "", `\`, "")

// secretEndings returns the words of a command that begin with an unknown value and end in the
// name of a file that may hold secrets. It leaves out programs that do not read the contents
// of files.
func secretEndings(c *command.Command) (out []string) {
	for i := range c.Parts {
		p := &c.Parts[i]
		if slices.Contains([]string{"test", "ls", "stat", "basename", "dirname", "realpath", "readlink", "echo"}, p.Program()) {
			continue
		}
		texts := slices.Clone(p.Assigns)
		for j, w := range p.Words {
			if j > 0 && w.Kind == bash.Unknown {
				texts = append(texts, w.Text)
			}
		}
		for _, re := range p.Redirs {
			if re.Op == "<" {
				texts = append(texts, re.Target.Text)
			}
		}
		for _, text := range texts {
			if secretEnding(text) && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// secretEnding reports whether the source of a word ends in the name of a file that may hold
// secrets. Before the name are only expansions, or an expansion and a slash.
func secretEnding(source string) bool {
	text := unquoter.Replace(source)
	found := expansion().FindAllStringIndex(text, -1)
	if len(found) == 0 {
		return false
	}
	ending := text[found[len(found)-1][1]:]
	if at := strings.LastIndexByte(ending, '/'); at >= 0 {
		return SecretFile(ending[at+1:])
	}
	return expansion().ReplaceAllString(text, "") == ending && SecretFile(ending)
}

// maxBelow limits the directories in which secretsBelow looks, and maxSecrets the files that
// it finds: a sandbox hides each of them separately.
const (
	maxBelow   = 10_000
	maxSecrets = 1000
)

// secretsBelow returns the files below dirs for which SecretFile reports true. It
// follows no links, and it skips .git. It reports false if there are too many directories
// or files, so that some may be missing; installed packages in node_modules, which come
// last, may be missing in any case.
func secretsBelow(dirs []string) (files []string, all bool) {
	todo, packages, own := slices.Clone(dirs), []string(nil), true
	for i := 0; i < len(todo) || len(packages) > 0; i++ {
		if i >= len(todo) {
			todo, packages, own = append(todo, packages...), nil, false
		}
		if i == maxBelow || len(files) > maxSecrets {
			return files, !own && len(files) <= maxSecrets
		}
		entries, _ := os.ReadDir(todo[i]) // not a directory, or gone
		for _, e := range entries {
			path := filepath.Join(todo[i], e.Name())
			switch {
			case e.IsDir() && own && e.Name() == "node_modules":
				packages = append(packages, path)
			case e.IsDir() && e.Name() != ".git":
				todo = append(todo, path)
			case e.Type().IsRegular() && SecretFile(path):
				files = append(files, path)
			}
		}
	}
	return files, len(files) <= maxSecrets
}

// Withheld returns a function that reports whether a search must skip a file, because it
// is a SecretFile or because a rule denies reading it or asks. Paths are absolute or
// relative to the workspace. The function follows no links and is safe for concurrent use.
func (p Paths) Withheld(rules []rule.Rule) func(path string) bool {
	at := p.roots()
	var reads []rule.Rule
	for _, r := range rules {
		if r.Kind == rule.Read && r.Action != rule.Allow {
			reads = append(reads, r)
		}
	}
	root := p.Resolved.Of(p.Workspace)
	return func(path string) bool {
		return SecretFile(path) || slices.ContainsFunc(reads, func(r rule.Rule) bool { return r.MatchesFile([]string{from(root, path)}, at) })
	}
}
