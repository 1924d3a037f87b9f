// Carries out one call of the conformance tests: JSON from the standard input, its outcome to the standard output.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"time"

	"postern"
)

type asked struct {
	Call           string            `json:"call"`
	Key            *string           `json:"key"`
	URL            string            `json:"url"`
	Options        options           `json:"options"`
	IdempotencyKey string            `json:"idempotency_key"`
	Email          email             `json:"email"`
	Emails         []email           `json:"emails"`
	ID             string            `json:"id"`
	Path           string            `json:"path"`
	SendAt         time.Time         `json:"send_at"`
	Body           string            `json:"body"`
	Headers        map[string]string `json:"headers"`
	Secrets        []string          `json:"secrets"`
	Now            int64             `json:"now"`
}

type options struct {
	TimeoutS       float64  `json:"timeout_s"`
	MaxRetries     *int     `json:"max_retries"`
	MaxRetryAfterS *float64 `json:"max_retry_after_s"`
}

// email has one recipient as a text, as in other languages.
type email struct{ postern.Email }

func (e *email) UnmarshalJSON(data []byte) error {
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	if one, isText := fields["to"].(string); isText {
		fields["to"] = []string{one}
	}
	whole, _ := json.Marshal(fields)
	return json.Unmarshal(whole, &e.Email)
}

func carriedOut(a asked) (any, error) {
	if a.Call == "verify" {
		header := http.Header{}
		for name, value := range a.Headers {
			header.Set(name, value)
		}
		return postern.VerifyWebhook([]byte(a.Body), header, time.Unix(a.Now, 0), a.Secrets...)
	}
	given := postern.Options{BaseURL: a.URL, Timeout: time.Duration(a.Options.TimeoutS * float64(time.Second))}
	if a.Options.MaxRetries != nil {
		if given.MaxRetries = *a.Options.MaxRetries; given.MaxRetries == 0 {
			given.MaxRetries = -1
		}
	}
	if a.Options.MaxRetryAfterS != nil {
		given.MaxRetryAfter = time.Duration(*a.Options.MaxRetryAfterS * float64(time.Second))
	}
	key := "em_live_key"
	if a.Key != nil {
		key = *a.Key
	}
	client, err := postern.New(key, given)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	switch a.Call {
	case "send":
		return client.Send(ctx, a.Email.Email, a.IdempotencyKey)
	case "batch":
		emails := []postern.Email{}
		for _, one := range a.Emails {
			emails = append(emails, one.Email)
		}
		return client.SendBatch(ctx, emails, a.IdempotencyKey)
	case "get":
		return client.Get(ctx, a.ID)
	case "attach":
		file, err := postern.AttachFile(a.Path)
		if err != nil {
			return nil, err
		}
		a.Email.Attachments = []postern.Attachment{file}
		return client.Send(ctx, a.Email.Email, a.IdempotencyKey)
	default:
		return client.Schedule(ctx, a.SendAt, a.Email.Email, a.IdempotencyKey)
	}
}

func outcome(a asked) map[string]any {
	reply, err := carriedOut(a)
	if err == nil {
		return map[string]any{"reply": reply}
	}
	var answered *postern.APIError
	var lost *postern.ConnectionError
	var unsigned *postern.WebhookError
	switch {
	case errors.As(err, &answered):
		return map[string]any{
			"error": "api", "message": answered.Message, "status": answered.Status, "code": orNull(answered.Code),
			"request_id": orNull(answered.RequestID), "email_id": orNull(answered.EmailID),
			"retry_after": orNull(answered.RetryAfter),
		}
	case errors.As(err, &unsigned):
		return map[string]any{"error": "webhook", "reason": unsigned.Reason}
	case errors.As(err, &lost):
		return map[string]any{"error": "connection"}
	default:
		return map[string]any{"error": "usage", "message": err.Error()}
	}
}

func orNull[T comparable](value T) any {
	var none T
	if value == none {
		return nil
	}
	return value
}

func main() {
	var a asked
	if err := json.NewDecoder(os.Stdin).Decode(&a); err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(outcome(a)); err != nil {
		panic(err)
	}
}
