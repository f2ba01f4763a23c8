package shell

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"agent/internal/tools/shell/sandbox"
)

// settings keep programs from prompting, paging and coloring, which need a
// terminal.
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

// removed are variables that would undo settings or run a file before the
// command.
var removed = map[string]bool{
	"BASH_ENV": true, "ENV": true, "OLDPWD": true,
	"COLORTERM": true, "FORCE_COLOR": true, "CLICOLOR_FORCE": true,
}

// withoutNetwork are settings for commands that have no network: package managers
// fail at once instead of trying again for a minute.
var withoutNetwork = []string{"npm_config_fetch_retries=0", "PIP_RETRIES=0", "CARGO_NET_RETRY=0", "UV_HTTP_RETRIES=0", "BUNDLE_RETRY=0"}

// Limits are what a command is denied beyond its arguments. Keep and Hide override
// the rules of Scrub.
type Limits struct {
	Keep []string // names of variables to keep although they look like secrets
	Hide []string // further names to remove; Keep has precedence

	// Sandbox restricts the command itself; nil means no sandbox.
	Sandbox *sandbox.Profile
}

// environment returns env for a command in dir, without secrets and with settings. TMPDIR
// is always set on Unix: the check of permissions relies on its value.
func environment(env []string, dir string, l Limits) []string {
	var out []string
	if runtime.GOOS != "windows" && !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "TMPDIR=") && v != "TMPDIR=" }) {
		env = append(slices.Clone(env), "TMPDIR="+os.TempDir())
	}
	for _, v := range Scrub(env, l) {
		name, value, _ := strings.Cut(v, "=")
		_, set := settings[name]
		set = set || name == "TMPDIR" && value == ""
		if !set && !removed[name] && name != "PWD" {
			out = append(out, v)
		}
	}
	for name, value := range settings {
		out = append(out, name+"="+value)
	}
	if l.Sandbox != nil && !l.Sandbox.Network {
		out = append(out, withoutNetwork...)
	}
	return append(out, "PWD="+dir)
}

// Scrub returns env without secrets. Every process that runs code of the model or
// the repository uses it. It removes a variable if its name or value looks like a
// secret, or if l.Hide names it.
func Scrub(env []string, l Limits) []string {
	var out []string
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		if contains(name, l.Keep) || !contains(name, l.Hide) && (pathName(name, value) || !secretName(name)) && !secretValue(value) {
			out = append(out, v)
		}
	}
	return out
}

// contains reports whether names contains name, ignoring case on Windows.
func contains(name string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name)
	})
}

// secrets are names that hold secrets although secretName has no rule for them.
var secrets = map[string]bool{"MYSQL_PWD": true, "SSHPASS": true, "DOCKER_AUTH_CONFIG": true}

// secretWords are words of names that hold secrets; secretEnds are endings of
// such words.
var (
	secretWords = []string{"KEY", "KEYS", "PAT", "PASS", "DBPASS", "AUTH", "DSN", "WEBHOOK", "BEARER", "COOKIE", "COOKIES", "JWT", "OTP", "PIN"}
	secretEnds  = []string{"APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS"}
)

// secretName reports whether a name looks like that of a secret: OPENAI_API_KEY,
// AWS_SECRET_ACCESS_KEY, GITHUB_TOKEN, PGPASSWORD, DB_PASS2.
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

// pathName reports whether a variable holds the path of a socket or directory
// instead of a secret: SSH_AUTH_SOCK, PASSWORD_STORE_DIR.
func pathName(name, value string) bool {
	name = strings.ToUpper(name)
	return filepath.IsAbs(value) && (strings.HasSuffix(name, "_SOCK") || strings.HasSuffix(name, "_DIR"))
}

// passwordField matches password=VALUE in a connection string: in the query of a
// URL, or after a semicolon or blank.
var passwordField = pattern(`(?i)(^|[?&;\s])(password|passwd|pass|pwd)=[^&;\s]`)

// tokenPrefixes are the prefixes of tokens of well-known services.
var tokenPrefixes = []string{
	"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xapp-", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", "AKIA", "ASIA", "AIza", "ya29.",
	"eyJhbGci", "npm_", "pypi-", "hf_", "SG.", "shpat_", "dop_v1_", "Bearer ", "Basic ",
}

// minKeyLength is the minimum length of an API key that begins with sk-. Shorter
// values may be language codes.
const minKeyLength = 8

// secretValue reports whether a value contains a token, or a connection string
// with a password: a URL such as postgres://ann:hunter2@db/shop, a list with such
// a URL, a URL with a key in its query, or a field such as password=hunter2.
func secretValue(value string) bool {
	if passwordField().MatchString(value) || strings.HasPrefix(value, "sk-") && len(value) >= minKeyLength ||
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

// hasKey reports whether the query of a URL has a non-empty field with the name
// of a secret.
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

// hasPassword reports whether the part of a URL after "://" begins with a user
// and a password. It does not parse the URL, because a password may contain
// characters that are invalid in URLs.
func hasPassword(rest string) bool {
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		_, password, _ := strings.Cut(authority[:at], ":")
		return password != ""
	}
	// A slash in the password ends the authority early: the colon is then not
	// followed by a port, and the at sign comes later.
	colon := strings.LastIndexByte(authority, ':')
	if colon < 0 || !strings.Contains(rest, "@") || strings.HasPrefix(authority, "[") {
		return false
	}
	port := authority[colon+1:]
	return port != "" && strings.Trim(port, "0123456789") != ""
}
