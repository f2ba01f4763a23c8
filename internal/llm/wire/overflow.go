package wire

import (
	"net/http"
	"regexp"
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
	return contains(text, "per min", "this minute", "per day", "per hour", "per second", "per week", "per month", "(tpm)", "(tpd)", "(rpm)", "rate limit", "rate_limit",
		"throttl", "每分钟", "频率", "速率", "并发")
}

// The figures in the words of providers.
var (
	// windowSize matches the size of a context window.
	windowSize = regexp.MustCompile(`context (?:length|size|window|limit)|max(?:imum)? context|\d ?[km] context|n_ctx`)
	// above matches a number and the lower limit after it.
	above = regexp.MustCompile(`\d[\d,]* *(?:tokens?|bytes)? *\)? *>=? *(?:\d|n_ctx)`)
)

// exceeds reports whether a text, in lower case, says that a figure is above a limit.
func exceeds(text string) bool {
	return above.MatchString(text) || contains(text, "exceed", "larger than", "greater than", "more than", "higher than", "maximum", "max ", "reduce", "shorten", "shorter", "less than", "fewer",
		"at most", "only supports", "supports only", "must be <=", "too large", "too big", "too many", "range of", "overflow", "beyond", "limit is", "limit of", "limited to", "not fit", "you requested", "is not enough", "is full", "window full", "limit reached", "over the limit",
		"超出", "超过", "超限", "大于")
}

// tooLong reports whether a failure says that the conversation does not fit in the
// context window. The services share no code for it and few words: first the codes and
// words that mean nothing else, whatever else the text holds, then a table of words that
// mean it together.
func tooLong(status int, f Failure) bool {
	code, text := strings.ToLower(f.Code+" "+f.Type), strings.ToLower(f.Message)
	switch {
	case ratesTokens(text):
		return false
	case contains(code, "context_length", "context_window", "context_size", "context_overflow", "prompt_tokens_exceeded", "prompt_too_long", "input_too_long", "request_too_large", "tokens_limit_reached"):
		return true
	case contains(text, "prompt is too long", "prompt too long", "prompt is too large", "prompt too large", "input is too long", "input too long", "context is too long", "conversation is too long",
		"context_length_exceeded", "context length exceeded", "context window exceeded", "contextwindowexceeded", "context overflow", "exceed_context_size", "maximum prompt length", "input tokens exceeded",
		"conversation limit", "request_too_large", "at least 1, got -", // what is left of the window for the reply
		"expected maxlength"):
		return true
	case limitsReply(f), aboutField(f):
		return false
	case contains(text, "request too large"), windowSize.MatchString(text) && exceeds(text) && !limitsServer(text):
		return true
	}
	switch {
	case status == 0, status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge, status == http.StatusUnprocessableEntity, status >= 500:
	default:
		return false
	}
	if limitsOther(text) {
		return false
	}
	text = strings.ReplaceAll(text, ". ", "\n")
	for sentence := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("!?\n。！？", r) }) {
		if saysTooLong(sentence) {
			return true
		}
	}
	return false
}

// saysTooLong reports whether a sentence says that what was sent exceeds a length. The
// word "context" stands for one of the two, not for both.
func saysTooLong(sentence string) bool {
	context := contains(sentence, "context", "上下文")
	sent := contains(sentence, "input", "prompt", "request", "message", "conversation", "history", "sequence", "string value", "the text", "total token", "token count", "number of tokens", "tokens exceed", "token limit",
		"输入", "提示", "上下文", "消息", "请求", "对话", "文本", "内容", "tokens数", "token数", "token 数", "token总数")
	long := contains(sentence, "too long", "longer than", "too many tokens", "too many total text bytes", "array too long", "too large to process", "shorten your", "reduce your prompt", "超长", "过长", "太长", "过大")
	length := contains(sentence, "token", "length", "window", "bytes", "characters", "payload size", "message size", "request size", "长度", "上下文", "字数")
	return sent && long || exceeds(sentence) && (sent && (length || context) || context && length)
}

// limitsOther reports whether a text, in lower case, speaks of the limit of something
// else than a conversation: a server, an account or a credential.
func limitsOther(text string) bool {
	return limitsServer(text) || contains(text, "seconds", "minutes", "duration", "audio", "video", "capacity", "pending",
		"daily", "weekly", "monthly", "allowance", " plan", "subscription", "trial", "spend", "account", "billing", "credit", "quota", "usage limit", "余额", "额度", "限额", "配额", "套餐", "每日", "每天", "每月",
		"jwt", "bearer", "api key", "access token", "api token", "auth token", "session token", "security token", "refresh token", "id token", "csrf", "图片")
}

// limitsServer reports whether a text, in lower case, speaks of a limit that a server has
// reached: of time, memory or load.
func limitsServer(text string) bool {
	return contains(text, "took too long", "taking too long", "timed out", "timeout", "time limit", "deadline", "memory", "allocat", "overloaded", "queue", "concurren", "in flight", "connections", "retries", "attempts", "recursion")
}

// limitsReply reports whether a failure is about the limit of the reply in the request,
// and not about what was sent, alone or in the sum.
func limitsReply(f Failure) bool {
	text := strings.ToLower(f.Field + " " + f.Message)
	if !contains(text, "max_tokens", "maxtokens", "max tokens", "max_completion_tokens", "max_output_tokens", "maxoutputtokens", "max_new_tokens", "maxtokencount", "num_predict", "completion tokens", "output tokens", "output length", "maximum tokens you requested", "输出") {
		return false
	}
	text = strings.NewReplacer("input validation", "", "invalid input", "", "malformed input", "", "input should", "", "输入参数", "").Replace(text)
	return !contains(text, "input", "prompt", "the messages", "your messages", "tokens in ", "request has", "request contains", "including max", "at least 1, got -", "输入", "提示", "上下文", "消息")
}

// The fields of a request that a shorter conversation does not change, in the words of
// providers.
var (
	otherField = regexp.MustCompile(`^\W*(?:body\W+)?(?:tools?|functions?|metadata|user|stop|response_format)\b|(?:^|\W|_)(?:id|name|key|description|ur[il])\W*$`)
	badField   = regexp.MustCompile("invalid (?:\\S+ ){0,2}['\"`]?(?:[\\w.\\[\\]-]*[._\\]])?(?:id|name|key|description|ur[il]|headers?)\\b" +
		"|(?:[.'\"`]|tool |function )(?:id|name|description|ur[il])\\b" +
		"|\\b(?:id|name|key|description|ur[il]|headers?)['\"`]?(?: fields?)? (?:is |are )?(?:too |exceed|must |longer )")
	// sentText matches the field of a text or list that makes up the conversation.
	sentText = regexp.MustCompile("(?:content|text|output|arguments|input|messages|prompt)(?:\\[\\d*\\])?['\"`:]")
)

// aboutField reports whether a failure names a field of the request that is wrong in
// itself, such as the ID of a call.
func aboutField(f Failure) bool {
	text := strings.ToLower(f.Message)
	if contains(text, "unknown parameter", "unrecognized", "unsupported parameter", "unknown field", "unknown name", "unexpected keyword", "extra inputs", "not permitted") || otherField.MatchString(strings.ToLower(f.Field)) {
		return true
	}
	if contains(text, "string too long", "string_above_max_length", "array too long") {
		return !sentText.MatchString(text)
	}
	return badField.MatchString(text) || contains(text, "call_id", "use_id", "item_id", "response_id", "cache_key", "stop sequence", "metadata", "budget_tokens")
}

// vague reports whether a rejection names nothing of the request that would explain it.
func (f Failure) vague() bool {
	text := strings.ToLower(f.Message)
	if f.Field != "" || contains(text, "'", "\"", "`", "_", "[", "parameter", "field", "required", "support", "tool", "function", "schema", "role", "image", "model", "temperature", "template", "key", "header", "permission", "account", "policy") {
		return false
	}
	return !ratesTokens(text) && !limitsOther(text) && !limitsReply(f) && !aboutField(f)
}
