package loop_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/wire"
	"agent/internal/loop"
)

// refusals are error responses.
func refusals() []fault {
	all := []fault{
		{n: 17, name: "invalid request", scene: refused(400, "", problem("invalid_request_error", "messages: \x1b[31mno\u202e of "+secret),
			"messages: [31mno of [key]", "")},
		{n: 18, name: "key rejected", scene: refused(401, "", problem("authentication_error", "invalid key "+secret),
			"invalid key [key]", "test rejected the API key in TEST_KEY. Set another one.")},
		{n: 19, name: "forbidden", scene: refused(403, "", problem("permission_error", "not in your region"),
			"not in your region", "test does not allow this API key to use the model. Check the permissions of the account, and whether the model is available in your region.")},
		{n: 20, name: "no such model", scene: refused(404, "", problem("not_found_error", "model: m"),
			"model: m", `The model is "m" at BASE. Choose another one with /model or --model.`)},
		{n: 21, name: "payment required", scene: refused(402, "", problem("billing_error", "no credit"),
			"no credit", "Check your account and its limits at test, or choose another model.")},
		{n: 21, name: "insufficient quota", scene: refused(429, "Retry-After: 1", problem("insufficient_quota", "You exceeded your current quota"),
			"You exceeded your current quota", "Check your account and its limits at test, or choose another model.")},
		{n: 22, name: "request timeout", scene: tried(408, "", problem("timeout", "too slow"), "too slow", "1s")},
		{n: 22, name: "conflict", scene: refused(409, "", problem("conflict", "busy, try again in 2 seconds"), "busy, try again in 2 seconds", "")},
		{n: 23, name: "body too large", scene: untouched(413, problem("request_too_large", "Request exceeds the maximum size"))},
		{n: 23, name: "context too long", scene: untouched(400, problem("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"))},
		{n: 24, name: "rate limit, seconds", scene: tried(429, "Retry-After: 2", problem("rate_limit_error", "slow down"), "slow down", "2s")},
		{n: 25, name: "rate limit, date", scene: tried(429, "Retry-After: "+noon.Add(90*time.Second).Format(http.TimeFormat), problem("rate_limit_error", "slow down"), "slow down", "1m30s")},
		{n: 26, name: "rate limit, a week", scene: refused(429, "Retry-After: 561635", problem("rate_limit_error", "slow down"),
			"slow down", "The provider asks to wait until 2026-11-08 00:00 (6 d 12 h). Retry then, or choose another model with /model.")},
		{n: 26, name: "rate limit, two hours", scene: refused(429, "Retry-After: 7800", problem("rate_limit_error", "slow down"),
			"slow down", "The provider asks to wait until 14:10 (2 h 10 min). Retry then, or choose another model with /model.")},
		{n: 26, name: "rate limit, the year 9999", scene: refused(429, "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", problem("rate_limit_error", "slow down"),
			"slow down", "The provider asks to wait for a year or more. Choose another model with /model.")},
		{n: 26, name: "rate limit, a time that has passed", scene: tried(429, "Retry-After: Mon, 01 Jan 0001 00:00:00 GMT", problem("rate_limit_error", "slow down"), "slow down", "1s")},
		{n: 26, name: "rate limit, less than nothing", scene: tried(429, "Retry-After: -100", problem("rate_limit_error", "slow down"), "slow down", "1s")},
		{n: 27, name: "rate limit, no word when", scene: tried(429, "", problem("rate_limit_error", "slow down"), "slow down", "1s")},
		{n: 28, name: "rate limit every time", scene: early(func(*stage) scene {
			return scene{acts: times(6, answer(429, "Retry-After: 120", problem("rate_limit_error", "slow down"))),
				options: func(o *loop.Options) { o.Clock.Now, o.Clock.Sleep = fakeClock(0) }, want: `
				retrying 2 in 2m0s: test answered 429: slow down
				retrying 3 in 2m0s: test answered 429: slow down
				retrying 4 in 2m0s: test answered 429: slow down
				retrying 5 in 2m0s: test answered 429: slow down
				retrying 6 in 2m0s: test answered 429: slow down
				turn error: test answered 429: slow down | The provider asks to wait until 12:12 (2 min). Retry then, or choose another model with /model.
				requests 6`}
		})},
		{n: 31, name: "login page", scene: early(func(*stage) scene {
			page := "<!DOCTYPE html>\n<html><head><title>\x1b]0;Log in\x07</title>" + strings.Repeat(".", 400)
			return scene{acts: []act{answer(200, "Content-Type: text/html", page)}, want: `
				turn error: test: the server sent an HTML page: ]0;Log in | Check the base URL BASE, and whether the network or a proxy requires a login.
				requests 1`}
		})},
		{n: 32, name: "one JSON in place of a stream", scene: early(func(st *stage) scene {
			return scene{acts: []act{answer(200, "Content-Type: application/json", st.d.document("all at once"))}, want: `
				assistant "all at once"
				turn done
				requests 1`}
		})},
		{n: 32, name: "a JSON that is no answer", scene: early(func(*stage) scene {
			return scene{acts: []act{answer(200, "Content-Type: application/json", problem("invalid_request_error", "not so"))}, want: `
				turn error: test: not so
				requests 1`}
		})},
		{n: 33, name: "no content", scene: early(func(*stage) scene { return empty(answer(204, "", "")) })},
		{n: 33, name: "empty body", scene: early(func(*stage) scene { return empty(answer(200, "Content-Type: text/event-stream", "")) })},
		{n: 34, name: "overloaded, in the stream", scene: early(func(st *stage) scene {
			return scene{acts: []act{sse(st.d.failure("overloaded_error", "Overloaded"))}, want: `
				retrying 2 in 1s: test: Overloaded` + again(2)}
		})},
	}
	for _, status := range []int{500, 502, 503, 504, 529} {
		all = append(all, fault{n: 29, name: fmt.Sprint("status ", status), scene: tried(status, "", problem("api_error", "oops"), "oops", "1s")})
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		all = append(all, fault{n: 30, name: fmt.Sprint("redirect ", status), scene: redirect(status)})
	}
	return append(all, fault{n: 36, name: "error as data first", scene: early(func(*stage) scene {
		return scene{acts: []act{sse("data: " + problem("server_error", "The server is overloaded") + "\n\n")}, want: `
			retrying 2 in 1s: test: The server is overloaded` + again(2)}
	})})
}

// problem returns the body of an error response, in the format of both dialects.
func problem(typ, message string) string {
	return fmt.Sprintf(`{"type":"error","error":{"type":%s,"message":%s}}`, quoted(typ), quoted(message))
}

// refused is an error response that ends the turn.
func refused(status int, header, body, message, hint string) func(*stage, phase) scene {
	return early(func(*stage) scene {
		return scene{acts: []act{answer(status, header, body)}, want: fmt.Sprintf(`
			turn error: test answered %d: %s%s
			requests 1`, status, message, mark(hint != "", " | "+hint))}
	})
}

// tried is an error response after which the request is retried.
func tried(status int, header, body, message, wait string) func(*stage, phase) scene {
	return early(func(*stage) scene {
		return scene{acts: []act{answer(status, header, body)}, want: fmt.Sprintf(`
			retrying 2 in %s: test answered %d: %s`, wait, status, message) + again(2)}
	})
}

// untouched is a request that is too long. The conversation stays complete.
func untouched(status int, body string) func(*stage, phase) scene {
	return early(func(*stage) scene {
		var message string
		if f, ok := wire.ParseFailure([]byte(body)); ok {
			message = f.Message
		}
		return scene{acts: []act{answer(status, "", body)}, want: fmt.Sprintf(`
			turn error: test answered %d: %s | Shorten the context with /compact, remove messages with /rewind, start a new session with /new, or choose a model with a larger context window.
			requests 1`, status, message),
			check: func(t *testing.T, p played) {
				if got := p.state.Messages[0]; got.Kind != llm.User || got.Text != "go" {
					t.Errorf("the conversation begins with %+v", got)
				}
			}}
	})
}

// redirect points to another host, which must get no request.
func redirect(status int) func(*stage, phase) scene {
	return early(func(st *stage) scene {
		other := st.other(nil)
		other.start(nil)
		host := other.ln.Addr().String()
		return scene{acts: []act{answer(status, "Location: http://"+host+"/v1/elsewhere?key=1", "")}, want: `
			turn error: test: did not follow the redirect to http://` + host + `/v1/elsewhere | If that is the right address, use it as the base URL.
			requests 1`,
			check: func(t *testing.T, _ played) {
				if n := other.count(); n > 0 {
					t.Errorf("the other host got %d requests", n)
				}
			}}
	})
}

// empty is a response without content.
func empty(a act) scene {
	return scene{acts: times(2, a), want: `
		retrying 2 of 2 in 1s: test: empty answer
		turn error: test: empty answer | Press Enter to retry.
		requests 2`}
}
