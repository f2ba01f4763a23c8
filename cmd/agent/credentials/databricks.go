package credentials

import (
	"bufio"
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// databricks is the name of the provider with profiles.
const databricks = "databricks"

// profile is a profile of the Databricks command-line program.
type profile struct {
	where string // "~/.databrickscfg (profile DEFAULT)"
	host  string
	token string
	login map[string]string // client credentials, by the variables that can replace them
}

// readProfile returns the profile that the environment selects: DATABRICKS_CONFIG_PROFILE
// in DATABRICKS_CONFIG_FILE, or DEFAULT in ~/.databrickscfg. Without one it returns the
// zero value.
func readProfile(getenv func(string) string) profile {
	name, path := cmp.Or(getenv("DATABRICKS_CONFIG_PROFILE"), "DEFAULT"), getenv("DATABRICKS_CONFIG_FILE")
	home, err := os.UserHomeDir()
	switch {
	case path == "" && err != nil:
		return profile{}
	case path == "":
		path = filepath.Join(home, ".databrickscfg")
	case strings.HasPrefix(path, "~/"):
		path = filepath.Join(home, path[2:])
	}
	f, err := os.Open(path)
	if err != nil {
		return profile{}
	}
	defer func() { _ = f.Close() }()
	values := map[string]string{}
	section := ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section = strings.TrimSpace(line[1 : len(line)-1])
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if ok && section == name && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, ";") {
			values[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
		}
	}
	return profile{
		where: filepath.Base(path) + " (profile " + name + ")", host: values["host"], token: values["token"],
		login: map[string]string{"DATABRICKS_CLIENT_ID": values["client_id"], "DATABRICKS_CLIENT_SECRET": values["client_secret"]},
	}
}

// applies reports whether the credentials of p may be used: requests go to its host.
func (p profile) applies(getenv func(string) string, configured string) bool {
	if p.host == "" || configured != "" {
		return false
	}
	host := getenv("DATABRICKS_HOST")
	return host == "" || bareHost(host) == bareHost(p.host)
}

// bareHost returns a host as it is written in a URL, without the rest.
func bareHost(host string) string {
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host = rest
	}
	host, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(host)), "/")
	return host
}
