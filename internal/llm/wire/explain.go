package wire

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/llm"
)

// localTries limits the attempts after an internal error of a server on this machine: it
// serves only this user, so that load is rarely the cause.
const localTries = 3

// explain completes e with the provider's name and a hint, and removes secrets
// from its texts.
func (x *Exchange) explain(e *llm.Error) *llm.Error {
	e.Provider = cmp.Or(e.Provider, x.c.at.Name)
	e.Message = Clean(x.redact(e.Message))
	if x.c.at.Here && e.Status == http.StatusInternalServerError && e.Retry && e.Tries == 0 {
		e.Tries = localTries
	}
	if e.Hint == "" {
		e.Hint = x.hint(e)
	}
	e.Hint = x.redact(e.Hint)
	if e.Err != nil && x.redact(e.Err.Error()) != e.Err.Error() {
		e.Err = errors.New(x.redact(e.Err.Error()))
	}
	return e
}

func (x *Exchange) redact(s string) string {
	for _, secret := range x.secrets {
		s = mask(s, secret, "[key]")
	}
	for _, secret := range x.c.secrets {
		s = mask(s, secret, masked)
	}
	return s
}

// longSecret is the minimum length in bytes of a secret that is masked inside
// words too. Shorter ones may occur in ordinary words.
const longSecret = 8

// mask replaces secret in s by instead; a short one only where it is a whole
// word.
func mask(s, secret, instead string) string {
	if len(secret) >= longSecret {
		return strings.ReplaceAll(s, secret, instead)
	}
	var out strings.Builder
	for from, at := 0, 0; secret != ""; {
		i := strings.Index(s[at:], secret)
		if i < 0 {
			return out.String() + s[from:]
		}
		at += i
		end := at + len(secret)
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[end:])
		if inWord(before) || inWord(after) {
			at++
			continue
		}
		out.WriteString(s[from:at] + instead)
		from, at = end, end
	}
	return s
}

// inWord reports whether r is part of a word.
func inWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// hint returns what the user can do about e, or "".
func (x *Exchange) hint(e *llm.Error) string {
	switch e.Kind {
	case llm.ErrKey:
		return x.keyHint(e.Status)
	case llm.ErrQuota:
		return "Check your account and its limits at " + x.c.at.Name + ", or choose another model."
	case llm.ErrNotFound:
		return fmt.Sprintf("The model is %q at %s. Choose another one with /model or --model.", x.model, x.c.displayURL())
	case llm.ErrTooLong:
		return "The conversation is too long for the model. Start a new session, or choose a model with a larger context window."
	}
	switch {
	case errors.Is(e.Err, errTemplate):
		return fmt.Sprintf("The chat template of the model cannot render this conversation. Turn native tool calls off: set catalog.%s/%s.tools: false in the configuration. Or start the server with another template (llama.cpp: --chat-template), or choose another model.", x.c.at.Name, x.model)
	case e.Status == http.StatusProxyAuthRequired:
		return "The proxy requires a login. Check HTTPS_PROXY."
	case errors.Is(e.Err, errHTML) && e.Status < http.StatusInternalServerError:
		return "Check the base URL " + x.c.displayURL() + ", and whether the network or a proxy requires a login."
	}
	return ""
}

func (x *Exchange) keyHint(status int) string {
	name, key := x.c.at.Name, x.c.at.KeyName
	switch {
	case len(x.secrets) == 0 && key != "":
		return "No API key was sent. Enter one with /connect " + name + ", or set " + key + ". A key that was kept only until you quit must be entered again."
	case len(x.secrets) == 0:
		return fmt.Sprintf("No API key was sent, but the server requires one. Set providers.%s.key in the configuration.", name)
	case status == http.StatusForbidden:
		return fmt.Sprintf("%s does not allow this API key to use the model. Check the permissions of the account, and whether the model is available in your region.", name)
	case key == "":
		return name + " rejected the API key."
	}
	return fmt.Sprintf("%s rejected the API key in %s. Set another one.", name, key)
}
