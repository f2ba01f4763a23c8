package recording

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/llm/wire"
)

// removed takes the place of a secret.
const removed = "[removed]"

// shortest is the length of the shortest value, in bytes, that counts as a secret.
const shortest = 6

// secretsOf returns the values of a request that may be secrets: of the headers that are
// not kept, and of its address.
func secretsOf(req *http.Request) (all []string) {
	add := func(v string) {
		if len(v) >= shortest && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	for name, values := range req.Header {
		if slices.Contains(kept, name) || name == "Accept-Encoding" || name == "Content-Length" {
			continue
		}
		for _, v := range values {
			add(v)
			_, token, _ := strings.Cut(v, " ")
			add(token)
			if plain, err := base64.StdEncoding.DecodeString(token); err == nil { // Basic
				_, password, _ := strings.Cut(string(plain), ":")
				add(password)
			}
			if name == "Cookie" {
				for pair := range strings.SplitSeq(v, ";") {
					_, value, _ := strings.Cut(pair, "=")
					add(strings.TrimSpace(value))
				}
			}
		}
	}
	if u := req.URL.User; u != nil {
		password, _ := u.Password()
		add(password)
		add(u.Username())
	}
	for _, values := range req.URL.Query() {
		for _, v := range values {
			add(v)
			add(url.QueryEscape(v))
		}
	}
	for part := range strings.SplitSeq(req.URL.Path, "/") {
		if !slices.Contains(publicParts, part) && looksSecret(part) {
			add(part)
			add(url.PathEscape(part))
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // a longer one may contain a shorter one
	return all
}

// publicParts are the parts of paths that a recording has. Others may be tokens or the
// names of accounts.
var publicParts = []string{
	"", "v1", "v1beta", "v2", "v3", "api", "openai", "anthropic", "inference", "chat", "completions", "messages", "responses", "models",
	"serving-endpoints", "deployments", "invocations", "compatible-mode", "oidc", "oauth", "token",
}

// redacted returns a URL without secrets: of its path only the public parts remain.
func redacted(address string) string {
	address = wire.Redacted(address)
	before, rest, found := strings.Cut(address, "://")
	if before += "://"; !found {
		before, rest = "", address
	}
	host, path, _ := strings.Cut(rest, "/")
	end := len(path)
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		end = i
	}
	parts := strings.Split(path[:end], "/")
	for i, part := range parts {
		if !slices.Contains(publicParts, part) {
			parts[i] = "***"
		}
	}
	if len(host) == len(rest) {
		return before + host
	}
	return before + host + "/" + strings.Join(parts, "/") + path[end:]
}

// looksSecret reports whether a part of a path is probably a token, and not a name that the
// conversation may also contain.
func looksSecret(part string) bool {
	const short, long = 16, 32
	digits := strings.ContainsFunc(part, unicode.IsDigit)
	return len(part) >= long || len(part) >= short && digits && !strings.ContainsAny(part, ".-")
}

// remove replaces the secrets in text, also where they are escaped in strings of JSON.
func remove(text string, secrets []string) string {
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, removed)
		if strings.Contains(text, `\`) {
			text = removeEscaped(text, s)
		}
	}
	return text
}

// removeEscaped replaces a secret in text where strings of JSON contain it with escapes,
// such as \u0026 or \/. JSON in a string of JSON has more backslashes.
func removeEscaped(text, secret string) string {
	var out strings.Builder
	kept := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' && text[i] != secret[0] {
			continue
		}
		if n := escapedLen(text[i:], secret); n > 0 {
			out.WriteString(text[kept:i] + removed)
			kept = i + n
			i = kept - 1
		}
	}
	return out.String() + text[kept:]
}

// escapedLen returns the length of a secret with escapes at the beginning of text; 0 if text
// does not begin with it.
func escapedLen(text, secret string) int {
	at := 0
	for i, c := range secret {
		if c == '\\' && i > 0 && secret[i-1] == '\\' {
			continue // one run in text stands for all of them
		}
		n := escapedRune(text[at:], c)
		if n == 0 {
			return 0
		}
		at += n
	}
	return at
}

// escapedRune is escapedLen for one character. It does not tell how many backslashes a run
// of them stands for.
func escapedRune(text string, c rune) int {
	const most = 16 // backslashes before a character
	run := 0
	for run < min(len(text), most) && text[run] == '\\' {
		run++
	}
	rest := text[run:]
	switch {
	case c == '\\':
		return run
	case run == 0 && strings.HasPrefix(rest, string(c)):
		return utf8.RuneLen(c)
	case run > 0 && (c == '"' || c == '/') && strings.HasPrefix(rest, string(c)):
		return run + 1
	case run > 0 && len(rest) > 4 && rest[0] == 'u':
		if n, err := strconv.ParseUint(rest[1:5], 16, 32); err == nil && rune(n) == c {
			return run + 5
		}
	}
	return 0
}
