package postern

import (
	"mime"
	"os"
	"path/filepath"
	"time"
)

// Email is a message to send: with a Subject and Message (HTML), Text or both, or with a Template.
type Email struct {
	From            string            `json:"from"`
	To              []string          `json:"to"`
	CC              []string          `json:"cc,omitempty"`
	BCC             []string          `json:"bcc,omitempty"`
	ReplyTo         []string          `json:"reply_to,omitempty"`
	Subject         string            `json:"subject,omitempty"`
	Message         string            `json:"message,omitempty"`
	Text            string            `json:"text,omitempty"`
	Template        *Template         `json:"template,omitempty"`
	Headers         map[string]string `json:"headers,omitempty"`
	Attachments     []Attachment      `json:"attachments,omitempty"`
	Tags            map[string]string `json:"tags,omitempty"`
	InReplyTo       string            `json:"in_reply_to,omitempty"`
	References      []string          `json:"references,omitempty"`
	Tracking        *Tracking         `json:"tracking,omitempty"`
	ListUnsubscribe *ListUnsubscribe  `json:"list_unsubscribe,omitempty"`
}

// Template is a stored template, by name or id, with its variables.
type Template struct {
	Name      string         `json:"name,omitempty"`
	ID        string         `json:"id,omitempty"`
	Version   int            `json:"version,omitempty"`
	Variables map[string]any `json:"variables"`
}

// Attachment is a file of a message; its content is encoded when it is sent. ContentID makes an inline image ("cid:").
type Attachment struct {
	Filename    string `json:"filename"`
	Content     []byte `json:"content"`
	ContentType string `json:"content_type,omitempty"`
	ContentID   string `json:"content_id,omitempty"`
}

// AttachFile reads a file.
func AttachFile(path string) (Attachment, error) {
	content, err := os.ReadFile(path)
	return Attachment{
		Filename:    filepath.Base(path),
		Content:     content,
		ContentType: mime.TypeByExtension(filepath.Ext(path)),
	}, err
}

// Tracking replaces the switches of the email service for one message.
type Tracking struct {
	Opens  *bool `json:"opens,omitempty"`
	Clicks *bool `json:"clicks,omitempty"`
}

// ListUnsubscribe is how a recipient unsubscribes.
type ListUnsubscribe struct {
	URL      string `json:"url,omitempty"`
	Mailto   string `json:"mailto,omitempty"`
	OneClick bool   `json:"one_click,omitempty"`
}

// Record is the record of a message.
type Record struct {
	ID string `json:"id"`
	// Status is "sent" or "failed".
	Status string `json:"status"`
	// Mode is "production", "sandbox" or "sandbox_fallback".
	Mode    string   `json:"mode"`
	From    string   `json:"from"`
	To      []string `json:"to"`
	Message string   `json:"message"`
}

// Outcome is what became of one message of a batch.
type Outcome struct {
	Status    int     `json:"status"`
	Email     *Record `json:"email"`
	Error     string  `json:"error"`
	ErrorCode string  `json:"error_code"`
}

// ScheduledEmail is a message that is sent at a later time.
type ScheduledEmail struct {
	ID     string    `json:"id"`
	SendAt time.Time `json:"send_at"`
	// State is "scheduled", "sent", "cancelled" or "failed".
	State   string `json:"state"`
	EmailID string `json:"email_id"`
	Error   string `json:"error"`
}
