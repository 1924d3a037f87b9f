// Package postern sends email with Postern, and verifies its webhooks. It needs only the standard library.
package postern

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	firstDelay = time.Second
	jitter     = 0.2
	// maxReplyBytes bounds an answer; the largest is the outcome of a batch.
	maxReplyBytes = 64 << 20
)

// Options of a client. BaseURL is required; a zero value of the others is the default.
type Options struct {
	// BaseURL is the URL of your Postern, such as https://postern.example.com.
	BaseURL string
	// Timeout limits one attempt; 60 s by default.
	Timeout time.Duration
	// MaxRetries is how many times a request is repeated at most; 4 by default, none if it is negative.
	MaxRetries int
	// MaxRetryAfter is the longest Retry-After that is waited for; 60 s by default.
	MaxRetryAfter time.Duration
	// Transport replaces http.DefaultTransport.
	Transport http.RoundTripper
}

// Client is a client with the key of an email service. It may be shared by goroutines.
type Client struct {
	key     string
	options Options
	http    *http.Client
}

// New returns a client with the key of an email service ("em_live_…").
func New(key string, options Options) (*Client, error) {
	if key == "" {
		return nil, errors.New("postern: the key is missing; is the environment variable set, such as POSTERN_EMAIL_KEY?")
	}
	base, err := url.Parse(options.BaseURL)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return nil, fmt.Errorf("postern: BaseURL must be a URL such as https://postern.example.com, not %q", options.BaseURL)
	}
	options.BaseURL = strings.TrimRight(options.BaseURL, "/")
	if options.Timeout == 0 {
		options.Timeout = time.Minute
	}
	if options.MaxRetries == 0 {
		options.MaxRetries = 4
	}
	if options.MaxRetryAfter == 0 {
		options.MaxRetryAfter = time.Minute
	}
	return &Client{key, options, &http.Client{
		Timeout:   options.Timeout,
		Transport: options.Transport,
		// A redirect would carry the key to another address, or turn a POST into a GET.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Send sends one message. Without an idempotency key ("") the call makes its own, so its retries never send it twice.
func (c *Client) Send(ctx context.Context, email Email, idempotencyKey string) (*Record, error) {
	return call[Record](ctx, c, "POST", "/emails", email, idempotencyKey)
}

// SendBatch sends 1 to 100 messages, and returns the outcome of each, in order.
func (c *Client) SendBatch(ctx context.Context, emails []Email, idempotencyKey string) ([]Outcome, error) {
	outcomes, err := call[[]Outcome](ctx, c, "POST", "/emails/batch", emails, idempotencyKey)
	if err != nil {
		return nil, err
	}
	return *outcomes, nil
}

// Get returns the record of a message of this email service.
func (c *Client) Get(ctx context.Context, id string) (*Record, error) {
	path, err := pathOf("/emails/", id)
	if err != nil {
		return nil, err
	}
	return call[Record](ctx, c, "GET", path, nil, "")
}

// Schedule sends a message at a time between 1 minute and 30 days from now.
func (c *Client) Schedule(ctx context.Context, at time.Time, email Email, idempotencyKey string) (*ScheduledEmail, error) {
	body := map[string]any{"send_at": at.Format(time.RFC3339Nano), "email": email}
	return call[ScheduledEmail](ctx, c, "POST", "/scheduled-emails", body, idempotencyKey)
}

// GetScheduled returns a scheduled message.
func (c *Client) GetScheduled(ctx context.Context, id string) (*ScheduledEmail, error) {
	return c.scheduled(ctx, "GET", id, nil, "")
}

// Reschedule changes the time of a message that waits.
func (c *Client) Reschedule(ctx context.Context, id string, at time.Time, idempotencyKey string) (*ScheduledEmail, error) {
	body := map[string]any{"send_at": at.Format(time.RFC3339Nano)}
	return c.scheduled(ctx, "PATCH", id, body, idempotencyKey)
}

// Cancel cancels a message that waits.
func (c *Client) Cancel(ctx context.Context, id string, idempotencyKey string) (*ScheduledEmail, error) {
	return c.scheduled(ctx, "DELETE", id, nil, idempotencyKey)
}

func (c *Client) scheduled(ctx context.Context, method, id string, body any, key string) (*ScheduledEmail, error) {
	path, err := pathOf("/scheduled-emails/", id)
	if err != nil {
		return nil, err
	}
	return call[ScheduledEmail](ctx, c, method, path, body, key)
}

func pathOf(collection, id string) (string, error) {
	if id == "" || id == "." || id == ".." {
		return "", errors.New("postern: the id is empty or consists of dots")
	}
	return collection + url.PathEscape(id), nil
}

// call makes one call, and repeats it on 429, 5xx and lost connections, with increasing delays.
func call[Reply any](ctx context.Context, c *Client, method, path string, body any, key string) (*Reply, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	if key == "" {
		key = newKey()
	}
	lost := false
	for retries := 0; ; retries++ {
		raw, err := c.attempt(ctx, method, path, data, key)
		if err == nil {
			var reply Reply
			if err = json.Unmarshal(raw, &reply); err == nil {
				return &reply, nil
			}
			err = &ConnectionError{method, path, err}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		delay, again := c.delayBeforeRetry(err, retries, lost)
		if !again {
			return nil, err
		}
		var answered *APIError
		lost = lost || !errors.As(err, &answered) || answered.Status >= 500
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (c *Client) attempt(ctx context.Context, method, path string, data []byte, key string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.options.BaseURL+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Api-Key", c.key)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "postern-go/0.1.0")
	if data != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if method != "GET" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, &ConnectionError{method, path, err}
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxReplyBytes))
	if err != nil {
		return nil, &ConnectionError{method, path, err}
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, errorOf(response, raw)
	}
	return raw, nil
}

func (c *Client) delayBeforeRetry(err error, retries int, lost bool) (time.Duration, bool) {
	if retries >= c.options.MaxRetries {
		return 0, false
	}
	delay := time.Duration(float64(firstDelay<<retries) * (1 - jitter + 2*jitter*mathrand.Float64()))
	var answered *APIError
	if !errors.As(err, &answered) {
		var unanswered *ConnectionError
		return delay, errors.As(err, &unanswered)
	}
	retryAfter := time.Duration(answered.RetryAfter) * time.Second
	repeats := answered.Status == 429 || answered.Status >= 500
	if answered.Status == 409 {
		// After a lost connection, the first attempt may still be in progress under the same key.
		repeats = lost && (answered.Code == "idempotency_key_in_flight" || retryAfter > 0)
	}
	return max(delay, retryAfter), repeats && retryAfter <= c.options.MaxRetryAfter
}

func newKey() string {
	var bytes [16]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		panic(err) // The operating system has no random numbers.
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", bytes[:4], bytes[4:6], bytes[6:8], bytes[8:10], bytes[10:])
}
