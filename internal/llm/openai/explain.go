package openai

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"agent/internal/llm"
)

// explain completes an error: who failed, what the person can do, and no key
// anywhere in its text.
func (p *Provider) explain(e *llm.Error, model string) *llm.Error {
	e.Provider = p.opts.Name
	e.Message = clean(p.redact(e.Message))
	if e.Hint == "" {
		e.Hint = p.hint(e, model)
	}
	e.Hint = p.redact(e.Hint)
	if e.Err != nil && p.redact(e.Err.Error()) != e.Err.Error() {
		e.Err = errors.New(p.redact(e.Err.Error()))
	}
	return e
}

func (p *Provider) redact(s string) string {
	if p.opts.Key == "" {
		return s
	}
	return strings.ReplaceAll(s, p.opts.Key, "[key]")
}

// hint says what to do about e.
func (p *Provider) hint(e *llm.Error, model string) string {
	switch e.Kind {
	case llm.ErrKey:
		return p.keyHint(e.Status)
	case llm.ErrQuota:
		return "look at the account and its limits at " + p.opts.Name + ", or choose another model"
	case llm.ErrNotFound:
		return fmt.Sprintf("the model is %q at %s; choose another one if it is not there", model, p.base)
	case llm.ErrTooLong:
		return "the conversation is too long for the model: begin a new session, or choose a model with a larger window"
	case llm.ErrCut:
		return "what arrived is kept; ask again to go on"
	}
	if e.Kind == llm.ErrInvalid && strings.Contains(e.Message, "/v1/responses") {
		return "this model calls tools over the responses interface only, which is not spoken here; choose another model"
	}
	if e.Status == http.StatusProxyAuthRequired {
		return "the proxy wants a login: check HTTPS_PROXY"
	}
	return ""
}

func (p *Provider) keyHint(status int) string {
	name := p.opts.KeyName
	switch {
	case p.opts.Key == "" && name != "":
		return "no key was sent: set " + name
	case p.opts.Key == "":
		return "no key was sent, and the server wants one"
	case status == http.StatusForbidden:
		return fmt.Sprintf("%s does not let this key use the model; it may be a matter of the account or the region", p.opts.Name)
	case name == "":
		return p.opts.Name + " rejected the key"
	}
	return fmt.Sprintf("%s rejected the key in %s: set another one", p.opts.Name, name)
}
