package wire

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/llm"
)

// explain completes an error: who failed, what the person can do, and no secret
// anywhere in its text.
func (x *Exchange) explain(e *llm.Error) *llm.Error {
	e.Provider = x.c.at.Name
	e.Message = Clean(x.redact(e.Message))
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
	for _, secret := range x.c.hidden {
		s = mask(s, secret, hidden)
	}
	return s
}

// longSecret is the length in bytes from which a secret is masked wherever it
// occurs. A shorter one may be a part of ordinary words.
const longSecret = 8

// mask returns s with instead in place of a secret: of a short one only where it
// stands as a whole word.
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

// inWord reports whether r is a part of a word.
func inWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// hint says what to do about e.
func (x *Exchange) hint(e *llm.Error) string {
	switch e.Kind {
	case llm.ErrKey:
		return x.keyHint(e.Status)
	case llm.ErrQuota:
		return "look at the account and its limits at " + x.c.at.Name + ", or choose another model"
	case llm.ErrNotFound:
		return fmt.Sprintf("the model is %q at %s; /model or --model names another one", x.model, x.c.shown())
	case llm.ErrTooLong:
		return "the conversation is too long for the model: begin a new session, or choose a model with a larger window"
	case llm.ErrCut:
		return "the text received is kept"
	}
	switch {
	case e.Status == http.StatusProxyAuthRequired:
		return "the proxy wants a login: check HTTPS_PROXY"
	case strings.HasPrefix(e.Message, gotHTML) && e.Status < http.StatusInternalServerError:
		return "look whether the base URL " + x.c.shown() + " is right, and whether a proxy wants a login"
	}
	return ""
}

func (x *Exchange) keyHint(status int) string {
	name, key := x.c.at.Name, x.c.at.KeyName
	switch {
	case len(x.secrets) == 0 && key != "":
		return "no key was sent: set " + key
	case len(x.secrets) == 0:
		return fmt.Sprintf("no key was sent, and the server wants one: providers.%s.key in the configuration says where it is", name)
	case status == http.StatusForbidden:
		return fmt.Sprintf("%s does not let this key use the model; it may be a matter of the account or the region", name)
	case key == "":
		return name + " rejected the key"
	}
	return fmt.Sprintf("%s rejected the key in %s: set another one", name, key)
}
