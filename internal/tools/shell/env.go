package shell

import "strings"

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

// environment is env for a command in dir: without secrets, and such that
// nothing waits for a person.
func environment(env []string, dir string) []string {
	var out []string
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		_, set := settings[name]
		if !set && !unwanted[name] && name != "PWD" && !secret(name) {
			out = append(out, v)
		}
	}
	for name, value := range settings {
		out = append(out, name+"="+value)
	}
	return append(out, "PWD="+dir)
}

// secret reports whether a variable's name says that it holds a secret:
// OPENAI_API_KEY, AWS_SECRET_ACCESS_KEY, GITHUB_TOKEN, PGPASSWORD.
func secret(name string) bool {
	for word := range strings.SplitSeq(strings.ToUpper(name), "_") {
		if word == "KEY" || word == "KEYS" || word == "PAT" {
			return true
		}
		for _, end := range []string{"APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS"} {
			if strings.HasSuffix(word, end) {
				return true
			}
		}
	}
	return false
}
