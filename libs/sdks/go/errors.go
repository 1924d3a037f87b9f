package postern

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
)

// APIError is an answer with an error status. Compare Status or Code to tell the kinds of errors apart.
type APIError struct {
	Status int
	// Code is the header Error-Code, such as "recipient_not_verified".
	Code    string
	Message string
	// RequestID is the header X-Request-Id; quote it when you report a problem.
	RequestID string
	// RetryAfter is the header Retry-After in seconds; 0 if there is none.
	RetryAfter int
	// EmailID is the header Email-Id: the id of a message whose outcome is unknown.
	EmailID string
}

func (e *APIError) Error() string {
	return fmt.Sprintf("%s (status %d)", e.Message, e.Status)
}

// ConnectionError says that no response arrived: the connection failed, or the time limit passed.
type ConnectionError struct {
	Method, Path string
	Err          error
}

func (e *ConnectionError) Error() string {
	return fmt.Sprintf("%s %s got no response: %v", e.Method, e.Path, e.Err)
}

func (e *ConnectionError) Unwrap() error { return e.Err }

var wholeSeconds = regexp.MustCompile(`^[0-9]{1,9}$`)

func errorOf(response *http.Response, body []byte) *APIError {
	message := fmt.Sprintf("Postern answered with status %d.", response.StatusCode)
	var problem struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &problem) == nil && problem.Error != "" {
		message = problem.Error
	}
	retryAfter := 0
	if text := response.Header.Get("Retry-After"); wholeSeconds.MatchString(text) {
		retryAfter, _ = strconv.Atoi(text)
	}
	return &APIError{
		Status:     response.StatusCode,
		Code:       response.Header.Get("Error-Code"),
		Message:    message,
		RequestID:  response.Header.Get("X-Request-Id"),
		RetryAfter: retryAfter,
		EmailID:    response.Header.Get("Email-Id"),
	}
}
