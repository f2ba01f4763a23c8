package wire

import (
	"net/http"
	"regexp"
	"testing"
	"time"

	"agent/internal/llm"
)

// overflows are errors of services and servers for a conversation that is too long.
var overflows = map[string]string{
	"anthropic":              `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`,
	"anthropic with reply":   "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again\"}}",
	"anthropic, body":        `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`,
	"openai":                 `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
	"openai, older":          `{"error":{"message":"This model's maximum context length is 8191 tokens, however you requested 10346 tokens (10346 in your prompt; 5 for the completion). Please reduce your prompt; or completion length.","type":"invalid_request_error"}}`,
	"openai responses":       `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","code":"context_length_exceeded"}}`,
	"openai, one text":       `{"error":{"message":"Invalid 'messages[7].content': string too long. Expected a string with maximum length 10485760, but got a string with length 11436754 instead.","code":"string_above_max_length","param":"messages[7].content"}}`,
	"openai, messages":       `{"error":{"message":"Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 2049 instead.","code":"array_above_max_length"}}`,
	"bedrock":                `{"message":"Input is too long for requested model."}`,
	"bedrock, counted":       `{"message":"The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again."}`,
	"bedrock, bytes":         `{"message":"The model returned the following errors: too many total text bytes in the request: 4000000 > 3000000"}`,
	"bedrock, schema":        `{"message":"Malformed input request: expected maxLength: 200000, actual: 250000, please reformat your input and try again."}`,
	"gemini":                 `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`,
	"vertex":                 `{"error":{"code":400,"message":"Unable to submit request because the input token count is 2097153 but model only supports up to 1048576. Reduce the input token count and try again.","status":"INVALID_ARGUMENT"}}`,
	"xai":                    `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`,
	"groq":                   `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages"}}`,
	"cerebras":               `{"message":"Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}`,
	"copilot":                `{"error":{"message":"prompt token count of 391491 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}`,
	"github models":          `{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}`,
	"vllm":                   `{"object":"error","message":"This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.","type":"BadRequestError","code":400}`,
	"vllm, decoder":          `{"object":"error","message":"The decoder prompt (length 21535) is longer than the maximum model length of 16384. Make sure that max_model_len is no smaller than the number of text tokens.","type":"BadRequestError","code":400}`,
	"vllm, scheduler":        `{"error":{"message":"Input prompt (32889 tokens) is too long and exceeds limit of 2048","code":400}}`,
	"vllm, rest":             `{"error":{"message":"max_tokens must be at least 1, got -1234.","type":"BadRequestError","code":400}}`,
	"vllm, both":             `{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).","code":400}}`,
	"sglang":                 `{"object":"error","message":"The input (263000 tokens) is longer than the model's context length (262144 tokens).","code":400}`,
	"sglang, total":          `{"error":{"message":"Requested token count exceeds the model's maximum context length of 262144 tokens. You requested a total of 270000 tokens.","code":400}}`,
	"together, tgi":          "{\"error\":{\"message\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 20 `max_new_tokens`\",\"type\":\"validation\"}}",
	"tgi":                    "{\"error\":\"Input validation error: `inputs` must have less than 1024 tokens. Given: 2000\",\"error_type\":\"validation\"}",
	"moonshot":               `{"error":{"message":"Invalid request: Your request exceeded model token limit: 131072 (requested: 150000)","type":"invalid_request_error"}}`,
	"dashscope":              `{"error":{"code":"invalid_parameter_error","param":null,"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]","type":"invalid_request_error"}}`,
	"zhipu":                  `{"error":{"code":"1261","message":"Prompt 超长"}}`,
	"zhipu, more":            `{"error":{"code":"1210","message":"输入内容的长度超过模型的最大上下文限制"}}`,
	"chinese, input":         `{"error":{"message":"输入文本过长，请缩短后重试"}}`,
	"siliconflow":            `{"code":20015,"message":"length of prompt_tokens (33333) must be less than max_seq_len (32768).","data":null}`,
	"minimax":                `{"error":{"message":"invalid params, context window exceeds limit (2013)"}}`,
	"mistral":                `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_prompt","code":"3051"}`,
	"cohere":                 `{"message":"too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 130000. Try using a shorter prompt, or enable prompt truncating."}`,
	"deepinfra":              `{"detail":{"error":"Requested input length 30000 exceeds maximum input length 8192"}}`,
	"fireworks":              `{"error":{"object":"error","type":"invalid_request_error","message":"The prompt is too long: 140000, model maximum context length: 131071"}}`,
	"poolside":               `{"error":{"message":"Input length 131393 exceeds the maximum allowed input length of 131040 tokens.","code":400}}`,
	"nim":                    `{"error":"Input length 2100 exceeds maximum allowed token size 512"}`,
	"openrouter":             `{"error":{"message":"This endpoint's maximum context length is 131072 tokens. However, you requested about 132463 tokens (1463 of text input, 131000 in the output). Please reduce the length of either one.","code":400}}`,
	"a router":               `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"message\":\"Input is too long for requested model.\"}"}}}`,
	"llama.cpp":              `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":8192}}`,
	"lm studio":              `{"error":"The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input"}`,
	"lm studio, overflow":    `{"error":"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}`,
	"ollama":                 `{"error":"prompt too long; exceeded max context length by 12 tokens"}`,
	"ollama, input":          `{"error":{"message":"the input length exceeds the context length","type":"api_error"}}`,
	"ark":                    `{"error":{"code":"InvalidParameter","message":"Total tokens of image and text exceed max message tokens. Request id: 1"}}`,
	"a plain text":           `Conversation history exceeds the token limit`,
	"a length, by messages":  `{"error":{"message":"The total length of your messages is larger than 400000 tokens"}}`,
	"anthropic, request ID":  `{"error":{"message":"prompt is too long (request_id: req_0123): 210000 tokens > 200000 maximum"}}`,
	"anthropic, trace":       `{"error":{"message":"prompt is too long: trace_id=4bf92f: 210000 tokens > 200000 maximum"}}`,
	"anthropic by litellm":   `{"error":{"message":"litellm.BadRequestError: prompt is too long: 210000 tokens > 200000 maximum\nReceived Model Group=claude\nmodel_id: abc"}}`,
	"litellm":                `{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: the text is over the limit\nReceived Model Group=x","type":null}}`,
	"litellm, sglang":        `{"error":{"message":"litellm.BadRequestError: OpenAIException - Requested token count exceeds the model's maximum context length of 262144 tokens. You requested a total of 270128 tokens: 261936 tokens from the input messages and 8192 tokens for the completion."}}`,
	"openai, configured":     `{"error":{"message":"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 280000 tokens. Please reduce the length of the messages."}}`,
	"openai, model's":        `{"error":{"message":"Your input exceeds the model's context window"}}`,
	"openai, output":         `{"error":{"message":"Invalid 'input[12].output': string too long. Expected a string with maximum length 10485760, but got a string with length 11436754 instead.","type":"invalid_request_error","param":"input[12].output","code":"string_above_max_length"}}`,
	"openai, arguments":      `{"error":{"message":"Invalid 'messages[3].tool_calls[0].function.arguments': string too long. Expected a string with maximum length 1048576, but got a string with length 1744259 instead.","param":"messages[3].tool_calls[0].function.arguments"}}`,
	"vllm, none for reply":   `{"error":{"message":"This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens, for a total of at least 262145 tokens.","param":"input_tokens","code":400}}`,
	"vllm, max_tokens":       `{"error":{"message":"Context length exceeded: max_tokens is 4096 and 130000 tokens in prompt","code":400}}`,
	"a sum":                  `{"error":{"message":"The total tokens of input and max_completion_tokens exceed 131072"}}`,
	"a sum, later":           `{"error":{"message":"This request has 210000 tokens, but the limit is 200000 (including max_tokens 8000)"}}`,
	"z.ai":                   `{"error":{"code":"1261","message":"tokens in request more than max tokens allowed"}}`,
	"vertex, claude":         `{"error":{"message":"Vertex Claude request uses 256984 input tokens; limit is 167232."}}`,
	"gemini, context":        `{"error":{"code":500,"message":"An unexpected error occurred. Your input context is too long. Reduce your input context or temporarily switch to another model."}}`,
	"gemini, prompt":         `{"error":{"code":504,"message":"Your prompt (or context) is too large to be processed."}}`,
	"gemini, payload":        `{"error":{"code":400,"message":"Request payload size exceeds the limit: 20971520 bytes."}}`,
	"qwen, java":             `{"error":{"message":"String value length (20054016) exceeds the maximum allowed (20000000, from \u0060StreamReadConstraints.getMaxStringLength()\u0060)"}}`,
	"kimi, coding":           `{"error":{"message":"The current model supports only 256K context"}}`,
	"moonshot, length":       `{"error":{"message":"The length of tokens in the request is too long"}}`,
	"moonshot, conversation": `{"error":{"message":"Conversation length exceeded. Please start a new session"}}`,
	"moonshot, messages":     `{"error":{"message":"'$.messages' is too long. Maximum length is 2048"}}`,
	"total":                  `{"error":{"message":"total tokens exceed the model's limit: 33000 > 32768"}}`,
	"tokens":                 `{"error":{"message":"tokens exceed model maximum: 40000 > 32768"}}`,
	"token limit":            `{"error":{"message":"Token limit exceeded"}}`,
	"window, requested":      `{"error":{"message":"Model context window is 128k tokens, you requested 256k tokens"}}`,
	"chinese, window":        `{"error":{"message":"超出上下文限制"}}`,
	"chinese, tokens":        `{"error":{"message":"tokens数量超过限制"}}`,
	"chinese, sum":           `{"error":{"message":"输入与输出token总数超过模型限制"}}`,
	"chinese, content":       `{"error":{"message":"内容过长"}}`,
	"a full window":          `{"error":{"message":"The model's context window is full"}}`,
	"llama.cpp, batch":       `{"error":{"code":500,"message":"input is too large to process. increase the physical batch size"}}`,
	"llama.cpp, kept":        `{"error":"n_keep: 10978 >= n_ctx: 8192"}`,
	"advice":                 `{"error":{"message":"Please shorten your prompt"}}`,
	"tokens over":            `{"error":{"message":"The prompt is 12,000 tokens over the limit"}}`,
}

// otherErrors are errors with similar words that another conversation does not avoid.
var otherErrors = map[string]struct {
	status int
	body   string
	want   llm.ErrorKind
}{
	"reply limit":                {400, `{"error":{"message":"max_tokens is too large: 6000. This model supports at most 4096 completion tokens, whereas you provided 6000.","type":"invalid_request_error","param":"max_tokens"}}`, llm.ErrInvalid},
	"reply limit, anthropic":     {400, `{"error":{"type":"invalid_request_error","message":"max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-x"}}`, llm.ErrInvalid},
	"reply limit, groq":          {400, "{\"error\":{\"message\":\"`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is less than the `context_window` for this model\",\"type\":\"invalid_request_error\"}}", llm.ErrInvalid},
	"reply limit, window":        {400, `{"error":{"message":"max_tokens (200000) exceeds the model's context window of 128000 tokens"}}`, llm.ErrInvalid},
	"reply limit, dashscope":     {400, `{"error":{"code":"invalid_parameter_error","message":"<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]"}}`, llm.ErrInvalid},
	"reply limit, deepseek":      {400, `{"error":{"message":"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]","type":"invalid_request_error"}}`, llm.ErrInvalid},
	"reply limit, vertex":        {400, `{"error":{"code":400,"message":"Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive)."}}`, llm.ErrInvalid},
	"reply limit, bedrock":       {400, `{"message":"The maximum tokens you requested exceeds the model limit of 8192. Try again with a maximum tokens value that is lower than 8192."}`, llm.ErrInvalid},
	"reply limit, tgi":           {422, "{\"error\":\"Input validation error: `max_new_tokens` must be <= 1024. Given: 5000\"}", llm.ErrInvalid},
	"reply limit, chinese":       {400, `{"error":{"code":"1210","message":"max_tokens参数超过最大长度限制"}}`, llm.ErrInvalid},
	"reply limit, pydantic":      {422, `{"detail":[{"loc":["body","max_tokens"],"msg":"Input should be less than or equal to 8192"}]}`, llm.ErrInvalid},
	"reply limit, 413":           {413, `{"error":{"message":"max_tokens is too large: 6000"}}`, llm.ErrInvalid},
	"tokens per minute, groq":    {413, `{"error":{"message":"Request too large for model m in organization o service tier on_demand on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing","type":"tokens","code":"rate_limit_exceeded"}}`, llm.ErrRate},
	"tokens per minute, openai":  {429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.","type":"tokens","code":"rate_limit_exceeded"}}`, llm.ErrRate},
	"tokens per minute, wait":    {429, `{"error":{"message":"This request would exceed your organization's rate limit of 30,000 input tokens per minute."}}`, llm.ErrRate},
	"throttling":                 {429, `{"message":"Too many tokens, please wait before trying again."}`, llm.ErrRate},
	"free quota, gemini":         {429, `{"error":{"code":429,"message":"You exceeded your current quota. Quota exceeded for metric: generate_content_free_tier_input_token_count, limit: 250000"}}`, llm.ErrQuota},
	"requests, chinese":          {429, `{"error":{"code":"1302","message":"您当前使用该API的并发数过高，请降低并发，请求频率超过限制"}}`, llm.ErrRate},
	"credits":                    {402, `{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 1234.","code":402}}`, llm.ErrQuota},
	"credits, prompt":            {402, `{"error":{"message":"Prompt tokens limit exceeded: 12345 > 9000. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account","code":402}}`, llm.ErrQuota},
	"billing":                    {400, `{"error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API. Please go to Plans & Billing"}}`, llm.ErrQuota},
	"an unknown parameter":       {400, `{"error":{"message":"Unknown parameter: context_window_size"}}`, llm.ErrInvalid},
	"an unknown parameter, more": {400, `{"error":{"message":"Unrecognized request argument supplied: max_context_length"}}`, llm.ErrInvalid},
	"an unsupported parameter":   {400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}`, llm.ErrInvalid},
	"ID of a call":               {400, `{"error":{"message":"Invalid 'messages[3].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 53 instead.","code":"string_above_max_length"}}`, llm.ErrInvalid},
	"ID of a call, plain":        {400, `{"error":{"message":"tool_call_id in messages exceeds the maximum length of 40"}}`, llm.ErrInvalid},
	"key of a cache":             {400, `{"error":{"message":"Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64"}}`, llm.ErrInvalid},
	"tools":                      {400, `{"error":{"message":"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 150 instead."}}`, llm.ErrInvalid},
	"description":                {400, `{"error":{"message":"Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024"}}`, llm.ErrInvalid},
	"an image":                   {400, `{"error":{"message":"messages.3.content.1.image.source.base64: image exceeds 5 MB maximum"}}`, llm.ErrImage},
	"cache marks":                {400, `{"error":{"message":"A maximum of 4 blocks with cache_control may be provided. Found 5."}}`, llm.ErrInvalid},
	"thinking":                   {400, "{\"error\":{\"message\":\"`max_tokens` must be greater than `thinking.budget_tokens`\"}}", llm.ErrInvalid},
	"a token":                    {400, `{"error":{"message":"The access token in the request exceeds its maximum age"}}`, llm.ErrInvalid},
	"a timeout":                  {500, `{"error":{"message":"Request exceeded the maximum time limit for token generation"}}`, llm.ErrOverloaded},
	"a slow request":             {504, `{"error":{"message":"The request took too long"}}`, llm.ErrOverloaded},
	"a busy server":              {503, `{"error":{"message":"The model is overloaded: too many tokens in the queue for your request"}}`, llm.ErrOverloaded},
	"reply limit, camel case":    {400, `{"error":{"message":"maxTokens exceeds the maximum allowed for this request: 8192"}}`, llm.ErrInvalid},
	"reply limit, words":         {400, `{"error":{"message":"Max tokens exceeds the maximum of this request: 8192"}}`, llm.ErrInvalid},
	"reply limit, length":        {400, `{"error":{"message":"maximum output length for this request is 8192 tokens"}}`, llm.ErrInvalid},
	"reply limit, ollama":        {400, `{"error":{"message":"num_predict in the request exceeds maximum token length 4096"}}`, llm.ErrInvalid},
	"reply limit, schema":        {400, `{"message":"Malformed input request: #/max_tokens: 100000 is not less or equal to 8192, please reformat your input and try again."}`, llm.ErrInvalid},
	"reply limit, field":         {400, `{"error":{"message":"Requested tokens exceed the maximum","param":"max_tokens"}}`, llm.ErrInvalid},
	"deadline":                   {500, `{"error":{"message":"context deadline exceeded"}}`, llm.ErrOverloaded},
	"deadline, busy":             {503, `{"error":{"message":"error processing request: context deadline exceeded"}}`, llm.ErrOverloaded},
	"deadline, gRPC":             {504, `{"error":{"message":"rpc error: code = DeadlineExceeded desc = context deadline exceeded"}}`, llm.ErrOverloaded},
	"recursion":                  {500, `{"error":{"message":"maximum recursion depth exceeded while processing request context"}}`, llm.ErrOverloaded},
	"memory":                     {500, `{"error":{"message":"failed to allocate the KV cache for the maximum context length of 131072"}}`, llm.ErrOverloaded},
	"too many connections":       {503, `{"error":{"message":"maximum number of concurrent requests with this context size exceeded"}}`, llm.ErrOverloaded},
	"daily tokens":               {400, `{"error":{"message":"You have exceeded your daily token limit for requests"}}`, llm.ErrInvalid},
	"monthly tokens":             {400, `{"error":{"message":"Your request exceeds the monthly token allowance"}}`, llm.ErrInvalid},
	"monthly tokens, 403":        {403, `{"error":{"message":"Your request exceeds the monthly token allowance"}}`, llm.ErrKey},
	"monthly tokens, 413":        {413, `{"error":{"message":"Your request exceeds the monthly token allowance"}}`, llm.ErrInvalid},
	"a free plan":                {400, `{"error":{"message":"free plan: requests exceed 8000 tokens per month"}}`, llm.ErrInvalid},
	"tokens per day, bedrock":    {429, `{"message":"Too many tokens per day, please wait before trying again."}`, llm.ErrRate},
	"tokens of this minute":      {429, `{"error":{"message":"input token limit exceeded for this minute"}}`, llm.ErrRate},
	"tokens per model":           {429, `{"error":{"message":"Number of request tokens has exceeded your per-model limit"}}`, llm.ErrRate},
	"tokens per day, chinese":    {400, `{"error":{"message":"您的请求token数超过每日限额"}}`, llm.ErrInvalid},
	"a signed token":             {400, `{"error":{"message":"JWT token in request is too long"}}`, llm.ErrInvalid},
	"a session token":            {400, `{"error":{"message":"The session token in the request exceeds the maximum length"}}`, llm.ErrInvalid},
	"a header":                   {400, `{"error":{"message":"Request header is too large: it exceeds the maximum length of 8192"}}`, llm.ErrInvalid},
	"ID of a call, by field":     {400, `{"error":{"message":"string too long in input. Expected a string with maximum length 64","param":"input[149].call_id"}}`, llm.ErrInvalid},
	"ID of a call, bare":         {400, `{"error":{"message":"Invalid input[].call_id: string too long. Expected max length 64."}}`, llm.ErrInvalid},
	"name of a tool":             {400, `{"error":{"message":"name must be at most 64 characters, got 67","param":"name"}}`, llm.ErrInvalid},
	"tools, by field":            {400, `{"error":{"message":"The request exceeds the maximum length","param":"tools"}}`, llm.ErrInvalid},
	"metadata":                   {400, `{"error":{"message":"Invalid 'metadata.user_id' in the request: longer than 256 characters"}}`, llm.ErrInvalid},
	"a duration":                 {500, `{"error":{"message":"request exceeded maximum duration for token generation"}}`, llm.ErrOverloaded},
	"requests in flight":         {503, `{"error":{"message":"too many requests in flight for the context"}}`, llm.ErrOverloaded},
	"a small window":             {500, `{"error":{"message":"The context window is too small. The minimum is 1000 tokens"}}`, llm.ErrOverloaded},
}

// notes are what servers and routers add to an error.
var notes = []string{"", " (request_id: req_0123)", " trace_id=4bf92f deployment_id: d1", `\nReceived Model Group=claude\nAvailable Model Group Fallbacks=None\nmodel_id: abc`,
	" See https://docs.example.com/errors?url=1", " Check the description of the API."}

// messageEnd matches the end of the message in the body of an error.
var messageEnd = regexp.MustCompile(`("(?:message|msg)":"(?:[^"\\\\]|\\\\.)*)"([,}])`)

// TestOverflowWordings checks that the errors for a conversation that is too long are
// recognized with every status with which they may come, and no others.
func TestOverflowWordings(t *testing.T) {
	noted := func(body, note string) []byte {
		return []byte(messageEnd.ReplaceAllString(body, "${1}"+note+`"${2}`))
	}
	for name, body := range overflows {
		for _, status := range []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusInternalServerError} {
			for _, note := range notes {
				if e := StatusError(status, http.Header{}, noted(body, note), time.Time{}); e.Kind != llm.ErrTooLong || e.Retry {
					t.Errorf("%s, %d: got %s, retry %v: %s", name, status, e.Kind, e.Retry, e.Message)
				}
			}
		}
	}
	for name, c := range otherErrors {
		for _, note := range notes {
			if e := StatusError(c.status, http.Header{}, noted(c.body, note), time.Time{}); e.Kind != c.want || e.Vague {
				t.Errorf("%s: got %s, vague %v, want %s: %s", name, e.Kind, e.Vague, c.want, e.Message)
			}
		}
	}
}

// TestVagueErrors checks which rejections name no reason.
func TestVagueErrors(t *testing.T) {
	for _, body := range []string{"", "Bad Request", `{"error":{"message":"Provider returned error","code":400}}`, `{"error":{"message":"invalid request"}}`,
		`[{"error":{"code":400,"message":"Request contains an invalid argument.","status":"INVALID_ARGUMENT"}}]`} {
		for _, status := range []int{http.StatusBadRequest, http.StatusUnprocessableEntity} {
			if e := StatusError(status, http.Header{}, []byte(body), time.Time{}); e.Kind != llm.ErrInvalid || !e.Vague {
				t.Errorf("%d %s: got %s, vague %v", status, body, e.Kind, e.Vague)
			}
		}
		if e := StatusError(http.StatusRequestEntityTooLarge, http.Header{}, []byte(body), time.Time{}); e.Kind != llm.ErrTooLong {
			t.Errorf("413 %s: got %s", body, e.Kind)
		}
		if e := StatusError(http.StatusForbidden, http.Header{}, []byte(body), time.Time{}); e.Vague {
			t.Errorf("403 %s is vague", body)
		}
	}
	for _, body := range []string{`{"error":{"message":"Invalid value","param":"temperature"}}`, `{"detail":[{"loc":["body","x"],"msg":"Invalid"}]}`,
		`{"error":{"message":"Unknown parameter: foo"}}`, `{"error":{"message":"messages.1: all messages must have non-empty content_blocks"}}`,
		`{"error":{"message":"This model does not support assistant message prefill"}}`} {
		if e := StatusError(http.StatusBadRequest, http.Header{}, []byte(body), time.Time{}); e.Vague {
			t.Errorf("%s is vague", body)
		}
	}
}
