package openai

import (
	"errors"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// failure returns what c says went wrong, if it does.
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
		f, ok := wire.ParseFailure(data) // a sign of life may have a message too, but no code
		return f, ok && f.Message != "" && (f.Code != "" || c.Object == "error")
	}
	return wire.Failure{}, false
}

// hinted adds to the error of an answer what only this dialect knows.
func hinted(err error) error {
	e, ok := errors.AsType[*llm.Error](err)
	if ok && (e.Kind == llm.ErrInvalid || e.Kind == llm.ErrNoTools) && strings.Contains(e.Message, "/v1/responses") {
		e.Kind, e.Hint = llm.ErrInvalid, "this model calls tools over the responses interface only: give its provider the dialect \"responses\" in the configuration, or choose another model"
	}
	return err
}
