package llm

import (
	"strings"
	"unicode"
)

// IsAPIKey reports whether text is only an API key of a known form.
func IsAPIKey(text string) bool {
	_, ok := APIKeyProvider(text)
	return ok
}

// APIKeyProvider returns the provider whose API keys have the form of text; empty if several
// providers use it. It reports false if text is no API key.
func APIKeyProvider(text string) (provider string, ok bool) {
	text = strings.TrimSpace(text)
	const shortest = 20
	if len(text) < shortest || !strings.ContainsFunc(text, unicode.IsDigit) || strings.ContainsFunc(text, notInKey) {
		return "", false
	}
	return APIKeyBegins(text)
}

// APIKeyBegins is like APIKeyProvider for the beginning of a key.
func APIKeyBegins(text string) (provider string, ok bool) {
	for _, form := range [][2]string{
		{"sk-ant-", "anthropic"}, {"sk-or-", "openrouter"}, {"sk-proj-", "openai"}, {"sk-svcacct-", "openai"}, {"sk-", ""},
		{"gsk_", "groq"}, {"xai-", "xai"}, {"AIza", "gemini"}, {"csk-", "cerebras"}, {"tgp_v1_", "together"}, {"fw_", "fireworks"},
		{"ghp_", "github"}, {"github_pat_", "github"}, {"ABSK", "bedrock"},
	} {
		if strings.HasPrefix(text, form[0]) {
			return form[1], true
		}
	}
	return "", false
}

func notInKey(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.=+/", r)
}
