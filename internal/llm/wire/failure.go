package wire

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"agent/internal/llm"
)

// Failure is an error that a provider reports, in the body of a response or
// inside a stream.
type Failure struct {
	Message string
	Code    string // "context_length_exceeded", or a number
	Type    string // "invalid_request_error"
	Field   string // the field of the request that it blames, if it names one
}

// ParseFailure reads the known formats: an object or text under "error", the
// same fields at the top level, "detail", "errors", or a list of these.
func ParseFailure(body []byte) (Failure, bool) {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		return ParseFailure(list[0])
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(body, &o) != nil {
		return Failure{}, false
	}
	for _, key := range []string{"error", "errors", "detail"} {
		v := string(o[key])
		switch {
		case v == "" || v == "null":
			continue
		case v[0] == '{' || v[0] == '[':
			if f, ok := ParseFailure(o[key]); ok {
				return f, true
			}
		}
		return Failure{Message: Scalar(o[key]), Code: Scalar(o["code"])}, true
	}
	f := Failure{
		Message: Scalar(o["message"]),
		Code:    Scalar(o["code"]) + Scalar(o["error_code"]),
		Type:    Scalar(o["type"]),
		Field:   Scalar(o["param"]) + Scalar(o["loc"]),
	}
	if f.Message == "" {
		f.Message = Scalar(o["msg"])
	}
	f.Message = joined(f.Message, upstream(o["metadata"]))
	return f, f.Message != "" || f.Code != "" || f.Type != ""
}

// joined returns the message of a router with the one of the provider behind
// it.
func joined(message, why string) string {
	switch {
	case message == "":
		return why
	case why == "" || strings.Contains(message, why):
		return message
	}
	return withoutStop(message) + ": " + why
}

// upstream returns the error of the provider behind a router, from the router's
// metadata.
func upstream(metadata json.RawMessage) string {
	var m struct {
		Raw json.RawMessage `json:"raw"`
	}
	if json.Unmarshal(metadata, &m) != nil {
		return ""
	}
	raw := Scalar(m.Raw)
	if f, ok := ParseFailure([]byte(raw)); ok {
		return f.Message
	}
	return raw
}

// Err returns f as an error. status is the HTTP status, 0 for an error inside a
// stream.
func (f Failure) Err(status int) *llm.Error {
	e := &llm.Error{Status: status, Message: Clean(f.Message), Field: Clean(f.Field)}
	if n, err := strconv.Atoi(f.Code); status == 0 && err == nil && n >= 400 && n < 600 {
		status, e.Status = n, n
	}
	if e.Message == "" {
		e.Message = Clean(f.Code)
	}
	e.Kind, e.Retry = kindOf(status, f)
	if (e.Kind == llm.ErrOverloaded || e.Kind == llm.ErrInvalid) && f.blamesTemplate() {
		e.Kind, e.Retry, e.Err = llm.ErrInvalid, false, errTemplate
	}
	if e.Kind == llm.ErrRate && !e.Retry {
		e.Hint = "The request alone is larger than this rate limit. Send less, choose another model, or have the limit raised."
	}
	e.Vague = e.Kind == llm.ErrInvalid && e.Err == nil && (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity) && f.vague()
	if status >= 400 && status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout {
		e.Retry = false // the same request would fail again
	}
	if e.Retry {
		e.RetryAfter = waitIn(f.Message)
	}
	return e
}

// errTemplate is the cause of an error of a chat template: the same request fails again.
var errTemplate = errors.New("the chat template failed")

// blamesTemplate reports whether f says that a chat template failed.
func (f Failure) blamesTemplate() bool {
	text := strings.ToLower(f.Message)
	executes := strings.Contains(text, "while executing") && strings.Contains(text, "in source")
	return executes || contains(text, "jinja", "chat template", "prompt template", "for this template", "roles must alternate", "got exception", "template: :", "templateerror", "template error")
}

// kindOf classifies a failure by its words if they are clear, otherwise by
// status.
func kindOf(status int, f Failure) (kind llm.ErrorKind, retry bool) {
	text := strings.ToLower(f.Code + " " + f.Type + " " + f.Message)
	says := func(words ...string) bool { return contains(text, words...) }
	switch {
	case ratesTokens(text) && says("request too large", "must be reduced", "reduce your message size"):
		return llm.ErrRate, false // waiting does not make the request smaller
	case tooLong(status, f):
		return llm.ErrTooLong, false
	case says("image") && (status == 0 || status >= 400 && status < 500 && status != http.StatusTooManyRequests) && says("invalid image", "invalid_image", "image_parse_error", "could not process image", "image exceeds", "image is too", "image too", "image dimensions", "unsupported image", "not support image", "image input", "images are not supported", "image data", "image format", "image_url", "image.source", "decode image", "load image"):
		return llm.ErrImage, false
	case says("not support tools", "not support tool", "tools param requires", "tool use is not supported", "tools are not supported", "tool calling is not supported", "tool choice requires"):
		return llm.ErrNoTools, false
	case waitIn(f.Message) > 0:
		return llm.ErrRate, true
	case says("insufficient_quota", "insufficient_balance", "insufficient balance", "credit balance", "billing_error", "exceeded your current quota"):
		return llm.ErrQuota, false
	case status == http.StatusBadRequest && says("api key", "api_key"):
		return llm.ErrKey, false
	case status == http.StatusRequestEntityTooLarge && (ratesTokens(text) || limitsOther(text) || limitsReply(f)):
		return llm.ErrInvalid, false
	case status != 0:
		return kindOfStatus(status, says("model_not_found"))
	case says("rate_limit", "rate limit", "too many requests"):
		return llm.ErrRate, true
	case says("authentication_error", "permission_error", "invalid_api_key"):
		return llm.ErrKey, false
	case says("not_found_error"):
		return llm.ErrNotFound, false
	case says("invalid_request"):
		return llm.ErrInvalid, false
	}
	return llm.ErrOverloaded, true
}

func kindOfStatus(status int, model bool) (kind llm.ErrorKind, retry bool) {
	switch {
	case model || status == http.StatusNotFound:
		return llm.ErrNotFound, false
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return llm.ErrKey, false
	case status == http.StatusPaymentRequired:
		return llm.ErrQuota, false
	case status == http.StatusProxyAuthRequired:
		return llm.ErrNetwork, false
	case status == http.StatusRequestEntityTooLarge:
		return llm.ErrTooLong, false
	case status == http.StatusTooManyRequests:
		return llm.ErrRate, true
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly, status >= 500:
		return llm.ErrOverloaded, true
	case status < 300 || status >= 400:
		return llm.ErrInvalid, false
	}
	return llm.ErrProtocol, false // a redirect
}

// StatusError returns the error of a response with an error status.
func StatusError(status int, header http.Header, body []byte, now time.Time) *llm.Error {
	f, ok := ParseFailure(body)
	page := !ok && isPage(string(body))
	switch {
	case page:
		f.Message = pageTitle(string(body), strconv.Itoa(status))
	case !ok:
		f.Message = Truncate(Clean(string(body)), 200)
	}
	if f.Message == "" && f.Code == "" {
		f.Message = strings.ToLower(http.StatusText(status))
	}
	e := f.Err(status)
	if page {
		e.Err = errHTML
	}
	if after := retryAfter(header, now); after > 0 {
		e.RetryAfter = after
	}
	return e
}
