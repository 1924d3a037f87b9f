"""Sends email with Postern, and verifies its webhooks. Needs only the standard library."""

from .client import Emails, Postern, ScheduledEmails, attachment
from .errors import (
    ApiError,
    AuthenticationError,
    ConflictError,
    ConnectionError,
    InvalidRequestError,
    NotFoundError,
    PermissionError,
    PosternError,
    RateLimitError,
    ServerError,
    WebhookVerificationError,
)
from .webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AuthenticationError",
    "ConflictError",
    "ConnectionError",
    "Emails",
    "InvalidRequestError",
    "NotFoundError",
    "PermissionError",
    "Postern",
    "PosternError",
    "RateLimitError",
    "ScheduledEmails",
    "ServerError",
    "WebhookVerificationError",
    "attachment",
    "verify_webhook",
]
