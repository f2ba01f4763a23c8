package openai

import (
	"errors"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// failure returns the error that c reports, if any.
func (c *chunk) failure(data []byte) (wire.Failure, bool) {
	inside := c.Error
	if len(inside) == 0 && c.Groq != nil {
		inside = c.Groq.Error
	}
	if s := string(inside); s != "" && s != "null" && s != `""` && s != "{}" {
		f, ok := wire.ParseFailure(inside)
		if !ok {
			f.Message = wire.Scalar(inside)
		}
		return f, true
	}
	if c.Object == "error" || c.Choices == nil && c.Tokens == nil {
		f, ok := wire.ParseFailure(data) // a keep-alive may have a message too, but no code
		return f, ok && f.Message != "" && (f.Code != "" || c.Object == "error")
	}
	return wire.Failure{}, false
}

// withHint adds a hint to errors that only this dialect knows.
func withHint(err error) error {
	e, ok := errors.AsType[*llm.Error](err)
	if ok && (e.Kind == llm.ErrInvalid || e.Kind == llm.ErrNoTools) && strings.Contains(e.Message, "/v1/responses") {
		e.Kind, e.Hint = llm.ErrInvalid, "This model supports tools only in the Responses API. Set \"dialect\": \"responses\" for its provider in the configuration, or choose another model."
	}
	return err
}
