package wire

import (
	"net/http"
	"strings"
)

// contains reports whether text contains one of words.
func contains(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// ratesTokens reports whether a text, in lower case, speaks of tokens or requests in a
// time, which a shorter conversation does not change.
func ratesTokens(text string) bool {
	return contains(text, "per min", "per day", "per hour", "per second", "(tpm)", "(tpd)", "(rpm)", "rate limit", "rate_limit",
		"throttl", "每分钟", "频率", "速率", "并发")
}

// tooLong reports whether a failure says that the conversation does not fit in the
// context window. The services share no code for it and few words: first the codes and
// words that mean nothing else, then a table of words that mean it together.
func tooLong(status int, f Failure) bool {
	code, text := strings.ToLower(f.Code+" "+f.Type), strings.ToLower(f.Message)
	switch {
	case ratesTokens(text) || limitsReply(text) || aboutField(text):
		return false
	case contains(code, "context_length", "context_window", "context_size", "prompt_tokens_exceeded", "prompt_too_long", "input_too_long", "request_too_large", "tokens_limit_reached"):
		return true
	case contains(text, "context_length_exceeded", "exceed_context_size", "context length", "context size", "context window", "maximum context", "context limit",
		"prompt is too long", "request too large", "request_too_large", "input tokens exceeded",
		"at least 1, got -", // what is left of the window for the reply
		"expected maxlength"):
		return true
	}
	switch {
	case status == 0, status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge, status == http.StatusUnprocessableEntity, status >= 500:
	default:
		return false
	}
	if contains(text, "took too long", "taking too long", "timed out", "timeout", "time limit", "seconds", "overloaded", "capacity", "queue", "billing", "credit", "quota", "余额", "额度") {
		return false
	}
	text = strings.ReplaceAll(text, ". ", "\n")
	for sentence := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("!?;\n。！？；", r) }) {
		if saysTooLong(sentence) {
			return true
		}
	}
	return false
}

// saysTooLong reports whether a sentence says that what was sent exceeds a length.
func saysTooLong(sentence string) bool {
	sent := contains(sentence, "input", "prompt", "request", "message", "conversation", "history", "sequence", "context", "输入", "提示", "上下文", "消息", "请求", "对话", "文本")
	long := contains(sentence, "too long", "longer than", "too many tokens", "too many total text bytes", "array too long", "超长", "过长", "太长")
	exceeds := contains(sentence, "exceed", "larger than", "greater than", "maximum", "max ", "max_", "reduce", "shorten", "shorter", "less than", "fewer", "at most", "only supports", "must be <=",
		"too large", "too big", "too many", "range of", "overflow", "beyond", "超出", "超过", "超限", "大于")
	length := contains(sentence, "token", "length", "context", "window", "text bytes", "长度", "上下文", "字数")
	return sent && (long || exceeds && length)
}

// limitsReply reports whether a text speaks of the limit of the reply in the request,
// and not of what was sent.
func limitsReply(text string) bool {
	return contains(text, "max_tokens", "max_completion_tokens", "max_output_tokens", "maxoutputtokens", "max_new_tokens", "completion tokens", "output tokens", "maximum tokens you requested", "输出") &&
		!contains(text, "input token", "inputs` tokens", "inputs tokens", "input length", "prompt token", "in the messages", "in your prompt", "text input", "the prompt", "your prompt", "at least 1, got -")
}

// aboutField reports whether a text names a field of the request that is wrong in
// itself, such as the ID of a call.
func aboutField(text string) bool {
	if contains(text, "unknown parameter", "unrecognized", "unsupported parameter", "unknown field", "unknown name", "unexpected keyword", "extra inputs", "not permitted") {
		return true
	}
	if contains(text, "string too long", "string_above_max_length", "array too long") { // a long text or list of messages is all of the conversation
		return !contains(text, "content", "text'", "'input'", "'messages'")
	}
	return contains(text, "_id", ".id", ".name", "'name'", "`name`", "tool name", "function name", "description", "_key", "header", "url", "stop sequence", "'stop'", "metadata", "'user'", "budget_tokens", "access token", "api token", "api key")
}

// vague reports whether a rejection names nothing of the request that would explain it.
func (f Failure) vague() bool {
	text := strings.ToLower(f.Message)
	if f.Field != "" || contains(text, "'", "\"", "`", "_", "[", "parameter", "field", "required", "support", "tool", "function", "schema", "role", "image", "model", "temperature", "template", "key", "header", "permission", "account", "policy") {
		return false
	}
	return !ratesTokens(text) && !limitsReply(text) && !aboutField(text)
}
