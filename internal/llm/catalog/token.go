package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

const (
	// renewBefore is how long before its expiry a token is renewed.
	renewBefore = time.Minute
	// tokenLife is the assumed lifetime of a token without one.
	tokenLife = 5 * time.Minute
	// longestLife is the maximum lifetime of a token.
	longestLife = 365 * 24 * time.Hour
	// tokenWait is the time limit of a request for a token.
	tokenWait = 30 * time.Second
)

// tokens gets the tokens of a client and renews them before they expire, with
// one request at a time.
type tokens struct {
	provider string
	url      string
	client   *Client
	login    Login
	now      func() time.Time
	http     *http.Client

	current chan token // holds the token; the goroutine that received it may renew it
}

type token struct {
	value Key
	until time.Time
}

func newTokens(c Choice) *tokens {
	t := &tokens{
		provider: c.Provider.Name, url: wire.Join(c.BaseURL, c.Provider.Client.Path), client: c.Provider.Client, login: *c.Login,
		now: time.Now, current: make(chan token, 1),
		http: oneRequest(http.ProxyFromEnvironment), // requests are about an hour apart
	}
	t.http.Timeout = tokenWait
	t.current <- token{}
	return t
}

// authorize implements wire.Authorize.
func (t *tokens) authorize(ctx context.Context, h http.Header) error {
	var held token
	select {
	case held = <-t.current:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { t.current <- held }()
	if held.value == "" || !t.now().Before(held.until) {
		renewed, err := t.ask(ctx)
		if err != nil {
			return err
		}
		held = renewed
	}
	h.Set("Authorization", "Bearer "+held.value.Reveal())
	return nil
}

// ask requests a new token.
func (t *tokens) ask(ctx context.Context) (token, error) {
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {t.client.Scope}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, strings.NewReader(form.Encode()))
	if err != nil {
		return token{}, t.failed(llm.ErrInvalid, 0, withoutURL(err))
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth(url.QueryEscape(t.login.ID.Reveal()), url.QueryEscape(t.login.Secret.Reveal()))
	asked := t.now()
	res, err := t.http.Do(req)
	if err != nil {
		return token{}, t.failed(llm.ErrNetwork, 0, withoutURL(err))
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return token{}, t.failed(llm.ErrNetwork, 0, err.Error())
	}
	var answer struct {
		Token       string  `json:"access_token"`
		Seconds     float64 `json:"expires_in"`
		Error       string  `json:"error"`
		Description string  `json:"error_description"`
	}
	broken := json.Unmarshal(body, &answer) != nil
	switch {
	case res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests:
		return token{}, t.failed(llm.ErrOverloaded, res.StatusCode, "")
	case res.StatusCode != http.StatusOK:
		return token{}, t.failed(llm.ErrKey, res.StatusCode, cmp.Or(answer.Description, answer.Error))
	case broken || answer.Token == "":
		return token{}, t.failed(llm.ErrProtocol, 0, "the response contains no token")
	}
	life := tokenLife
	if answer.Seconds > 0 {
		life = time.Duration(min(answer.Seconds, longestLife.Seconds()) * float64(time.Second))
	}
	return token{value: Key(answer.Token), until: asked.Add(life - min(renewBefore, life/2))}, nil
}

// failed returns the error of a failed token request.
func (t *tokens) failed(kind llm.ErrorKind, status int, message string) error {
	e := &llm.Error{Kind: kind, Provider: t.provider, Status: status, Message: "cannot get a token: " + cmp.Or(message, "no reason given")}
	switch kind {
	case llm.ErrKey:
		e.Hint = fmt.Sprintf("Check %s and %s.", t.client.IDName, t.client.SecretName)
	case llm.ErrNetwork, llm.ErrOverloaded:
		e.Retry = true
	}
	return e
}
