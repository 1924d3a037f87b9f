package postern

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// Tolerance is how much the timestamp of a webhook may differ from the clock.
const Tolerance = 5 * time.Minute

// maxWebhookBytes bounds the body that VerifyRequest reads.
const maxWebhookBytes = 1 << 20

// WebhookError says that a call was not signed by Postern with this secret, or is too old. Answer it with 401.
type WebhookError struct {
	// Reason is "missing_headers", "timestamp_out_of_tolerance", "wrong_signature" or "malformed_body".
	Reason  string
	Message string
}

func (e *WebhookError) Error() string { return e.Message }

// Event is the body of a webhook call.
type Event struct {
	// Event is "delivered", "bounced", "complained", "opened" or "clicked".
	Event     string         `json:"event"`
	EmailID   string         `json:"email_id"`
	Timestamp string         `json:"timestamp"`
	From      string         `json:"from"`
	To        string         `json:"to"`
	Subject   string         `json:"subject"`
	Data      map[string]any `json:"data"`
}

var unixSeconds = regexp.MustCompile(`^[0-9]{1,15}$`)

// VerifyWebhook verifies a call and returns its event. body is the raw body, exactly as it arrived. Pass several secrets
// while you rotate the secret.
func VerifyWebhook(body []byte, header http.Header, now time.Time, secrets ...string) (*Event, error) {
	timestamp, signature := header.Get("X-Service-Timestamp"), header.Get("X-Service-Signature")
	if timestamp == "" || signature == "" {
		return nil, &WebhookError{"missing_headers", "The headers X-Service-Timestamp and X-Service-Signature are missing."}
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || !unixSeconds.MatchString(timestamp) || now.Sub(time.Unix(seconds, 0)).Abs() > Tolerance {
		return nil, &WebhookError{"timestamp_out_of_tolerance",
			fmt.Sprintf("X-Service-Timestamp differs from the clock by more than %v.", Tolerance)}
	}
	if len(secrets) == 0 {
		return nil, errors.New("the signing secret is missing")
	}
	matches := false
	for _, secret := range secrets {
		if secret == "" {
			return nil, errors.New("the signing secret is empty")
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(timestamp + "."))
		mac.Write(body)
		// Every secret is compared, so that the time does not depend on which one matches.
		if hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signature)) {
			matches = true
		}
	}
	if !matches {
		return nil, &WebhookError{"wrong_signature", "X-Service-Signature does not match the body and the secret."}
	}
	var event Event
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, &WebhookError{"malformed_body", "The body is not JSON."}
	}
	return &event, nil
}

// VerifyRequest reads the body of a request and verifies it.
func VerifyRequest(request *http.Request, secrets ...string) (*Event, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, request.Body, maxWebhookBytes))
	if err != nil {
		return nil, err
	}
	return VerifyWebhook(body, request.Header, time.Now(), secrets...)
}
