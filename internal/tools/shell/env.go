package shell

import (
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode"
)

// settings make programs that would ask, page or paint do without a terminal.
var settings = map[string]string{
	"EDITOR":              "false",
	"VISUAL":              "false",
	"GIT_EDITOR":          "false",
	"GIT_SEQUENCE_EDITOR": "false",
	"GIT_TERMINAL_PROMPT": "0",
	"GIT_ASKPASS":         "false",
	"SSH_ASKPASS":         "false",
	"SSH_ASKPASS_REQUIRE": "never",
	"SUDO_ASKPASS":        "false",
	"DEBIAN_FRONTEND":     "noninteractive",
	"PAGER":               "cat",
	"GIT_PAGER":           "cat",
	"MANPAGER":            "cat",
	"SYSTEMD_PAGER":       "cat",
	"TERM":                "dumb",
}

// unwanted are variables that would bring back what settings has turned off,
// or run a file before the command.
var unwanted = map[string]bool{
	"BASH_ENV": true, "ENV": true, "OLDPWD": true,
	"COLORTERM": true, "FORCE_COLOR": true, "CLICOLOR_FORCE": true,
}

// Limits are exceptions to the rules by which Scrub removes variables.
type Limits struct {
	Keep []string // names of variables that stay although they look like secrets
	Hide []string // names of variables that go although they do not; Keep has precedence
}

// environment is env for a command in dir: without secrets, and such that
// nothing waits for a person.
func environment(env []string, dir string, l Limits) []string {
	var out []string
	for _, v := range Scrub(env, l) {
		name, _, _ := strings.Cut(v, "=")
		_, set := settings[name]
		if !set && !unwanted[name] && name != "PWD" {
			out = append(out, v)
		}
	}
	for name, value := range settings {
		out = append(out, name+"="+value)
	}
	return append(out, "PWD="+dir)
}

// Scrub returns env without secrets. Every process that runs something from the
// model or from the repository gets its environment from here: a variable goes
// if its name or its value looks like a secret, or if l hides it.
func Scrub(env []string, l Limits) []string {
	var out []string
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		if named(name, l.Keep) || !named(name, l.Hide) && (placeName(name, value) || !secretName(name)) && !secretValue(value) {
			out = append(out, v)
		}
	}
	return out
}

// named reports whether names holds name. Windows does not tell case apart.
func named(name string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name)
	})
}

// secrets are variables that hold a secret though no rule of secretName covers
// them.
var secrets = map[string]bool{"MYSQL_PWD": true, "SSHPASS": true, "DOCKER_AUTH_CONFIG": true}

// secretWords and secretEnds are words of a name, and ends of such words, that
// say that it holds a secret.
var (
	secretWords = []string{"KEY", "KEYS", "PAT", "PASS", "DBPASS", "AUTH", "DSN", "WEBHOOK"}
	secretEnds  = []string{"APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS"}
)

// secretName reports whether a variable's name says that it holds a secret:
// OPENAI_API_KEY, AWS_SECRET_ACCESS_KEY, GITHUB_TOKEN, PGPASSWORD, DB_PASS2.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	if secrets[name] {
		return true
	}
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		word = strings.TrimRight(word, "0123456789")
		if slices.Contains(secretWords, word) || slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(word, end) }) {
			return true
		}
	}
	return false
}

// placeName reports whether a variable names a socket or a directory, and not a
// secret: SSH_AUTH_SOCK, PASSWORD_STORE_DIR.
func placeName(name, value string) bool {
	name = strings.ToUpper(name)
	return filepath.IsAbs(value) && (strings.HasSuffix(name, "_SOCK") || strings.HasSuffix(name, "_DIR"))
}

// passwordField finds password=VALUE in a connection string: in the query of a
// URL, or between semicolons or blanks.
var passwordField = regexp.MustCompile(`(?i)(^|[?&;\s])(password|passwd|pass|pwd)=[^&;\s]`)

// tokenPrefixes are how the tokens of well-known services begin.
var tokenPrefixes = []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-"}

// leastKey is the length from which a value that begins with sk- is a key, and
// not a language.
const leastKey = 8

// secretValue reports whether a value is a token, or a connection string with a
// password: a URL like postgres://ann:hunter2@db/shop, a list with such a URL in
// it, a URL with a key in its query, or fields like password=hunter2.
func secretValue(value string) bool {
	if passwordField.MatchString(value) || strings.HasPrefix(value, "sk-") && len(value) >= leastKey ||
		slices.ContainsFunc(tokenPrefixes, func(prefix string) bool { return strings.HasPrefix(value, prefix) }) {
		return true
	}
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		_, rest, ok := strings.Cut(part, "://")
		if ok && (hasPassword(rest) || hasKey(rest)) {
			return true
		}
	}
	return false
}

// hasKey reports whether the query of a URL has a field whose name says that it
// holds a secret, with a value.
func hasKey(rest string) bool {
	_, query, _ := strings.Cut(rest, "?")
	query, _, _ = strings.Cut(query, "#")
	for field := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(field, "="); value != "" && secretName(name) {
			return true
		}
	}
	return false
}

// hasPassword reports whether the part of a URL that follows "://" begins with
// a user and a password. It does not parse the URL: a password may hold what no
// valid URL does.
func hasPassword(rest string) bool {
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		_, password, _ := strings.Cut(authority[:at], ":")
		return password != ""
	}
	// A slash in the password ends the authority early: then no port follows
	// the colon, and the at sign comes later.
	colon := strings.LastIndexByte(authority, ':')
	if colon < 0 || !strings.Contains(rest, "@") || strings.HasPrefix(authority, "[") {
		return false
	}
	port := authority[colon+1:]
	return port != "" && strings.Trim(port, "0123456789") != ""
}
