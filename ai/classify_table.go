package ai

import "time"

// The phrases by which providers' failures are known, in lower case; * is a gap. They
// are collected from the providers' documentation and from reports of users.

// limitPhrases are about quotas and budgets that waiting a moment does not renew.
var limitPhrases = []string{
	"gousagelimiterror",
	"freeusagelimiterror",
	"monthly*limit",
	"weekly*limit",
	"usage limit reached",
	"usage_limit_reached",
	"hit your*usage limit",
	"available balance",
	"insufficient balance",
	"insufficient_balance",
	"insufficient credit",
	"insufficient_quota",
	"insufficient funds",
	"credit balance is too low",
	"out of budget",
	"budget has been exceeded",
	"budget_exceeded",
	"quota exceeded",
	"exceeded your current quota",
	"exceeded_current_quota",
	"billing",
	"payment required",
	"requires more credits",
}

// limitCodes are error codes of the same kind. The numbers are Z.ai's.
var limitCodes = []string{
	"insufficient_quota", "billing_hard_limit_reached", "usage_limit_reached", "usage_not_included",
	"payment_required", "exceeded_current_quota_error", "gousagelimiterror", "freeusagelimiterror",
	"1113", "1308", "1310",
}

// overflowPhrases say that the request is larger than the context window.
var overflowPhrases = []string{
	"prompt is too long",                    // Anthropic
	"request_too_large",                     // Anthropic
	"input is too long for requested model", // Bedrock
	"input length and `max_tokens` exceed",  // Anthropic
	"exceeds the context window",            // OpenAI Responses
	"context_length_exceeded",               // OpenAI
	"context length exceeded",
	"maximum context length",              // OpenAI, OpenRouter, Mistral, vLLM
	"reduce the length of the messages",   // Groq
	"input token count*exceeds",           // Google
	"input tokens*exceed",                 // several
	"maximum prompt length is",            // xAI
	"prompt token count*exceeds",          // GitHub Copilot
	"exceeds the limit of*tokens",         // GitHub Copilot
	"exceeds the available context size",  // llama.cpp
	"exceed_context_size",                 // llama.cpp
	"greater than the context length",     // LM Studio
	"exceeded max context length",         // Ollama
	"context window exceeds limit",        // MiniMax
	"exceeded model token limit",          // Kimi
	"model_context_window_exceeded",       // Z.ai
	"range of input length should be",     // Qwen
	"longer than the model's context",     // Together
	"exceeds the model's context",         // several
	"larger than the context window",      // several
	"configured context size",             // Ollama
	"prompt exceeds max length",           // Z.ai
	"too many tokens in the prompt",       // several
	"token limit exceeded",                // several
	"tokens in request more than max",     // several
	"413 status code (no body)",           // Cerebras
	"request entity too large",            // proxies
	"prompt too long",                     // several
	"input is longer than*context length", // several
}

// The words in which servers that are not known say that a request is too long.
var (
	// requestSubjects are what a request consists of.
	requestSubjects = []string{
		"context", "prompt", "input", "conversation", "messages", "payload", "request body", "request too", "request is too",
		"request size", "request length", "tokens", "sequence length",
	}
	// excessWords say that there is too much of it.
	excessWords = []string{
		"exceed", "too long", "too large", "too big", "too many tokens", "overflow", "does not fit", "doesn't fit", "surpass",
	}
	// comparisons say so together with sizeWords.
	comparisons = []string{"longer than", "larger than", "greater than", "more than", "beyond", "at most"}
	sizeWords   = []string{"token", "context", "length", "window"}
	// otherSubjects are what else a server can find too much of, each at the beginning of a word.
	otherSubjects = []string{
		"deadline", "timeout", "timed out", "time limit", "rate", "per minute", "per hour", "per day", "per second", "tpm", "rpm",
		"quota", "credit", "budget", "balance", "billing", "spend", "concurren", "connections", "queue",
		"max_tokens", "max tokens", "max_completion_tokens", "max completion tokens", "max_output_tokens", "max output tokens",
		"completion tokens", "output tokens", "budget_tokens", "thinking",
		"image", "file", "audio", "video", "document", "page", "attachment", "pixel", "tool", "function", "schema", "enum",
		"stop sequence", "temperature", "top_p", "top_k", "metadata", "string too long", "string above max length", "depth", "recursion",
		"header", "expired", "lifetime", "model is too",
	}
)

// throttlePhrases are about tokens for a while, not about the window.
var throttlePhrases = []string{
	"throttl", "rate limit", "rate_limit", "too many requests", "tokens per min", "please wait",
}

// transientPhrases are about failures that pass.
var transientPhrases = []string{
	"overload",
	"rate limit", "rate_limit", "ratelimit", "too many requests", "throttl", "slow_down",
	"service unavailable", "service_unavailable", "temporarily unavailable", "unavailable_error",
	"server error", "server_error", "internal error", "internal_error", "internalservererror",
	"server_busy", "server is busy", "at capacity", "capacity exceeded", "high demand", "engine is currently",
	"bad gateway", "gateway timeout", "upstream connect", "upstream error",
	"provider returned error", "provider_returned_error", "no_available",
	"api_error",
	"network error", "network_error", "networkerror", "network connection", "network is unreachable", "network request failed",
	"connection error", "connection refused", "connection reset", "connection closed", "connection lost",
	"connection aborted", "connection timed out", "connection failed", "connection to*failed",
	"socket hang up", "socket connection was closed", "other side closed", "broken pipe",
	"econnreset", "econnrefused", "econnaborted", "epipe", "etimedout", "ehostunreach", "enetunreach",
	"getaddrinfo", "enotfound", "eai_again", "no such host",
	"timed out", "timeout", "time-out", "deadline exceeded", "deadline_exceeded",
	"terminated", "fetch failed", "failed to fetch",
	"websocket closed", "websocket error", "websocket*closed",
	"unexpected eof", "premature", "unexpected end of*stream", "ended before", "ended without", "without sending any chunks",
	"stream*canceled", "stream*cancelled", "stream closed", "incomplete chunked",
	"http2", "http/2", "stream error", "goaway",
	"retry delay", "retrydelay", "retry after", "please retry", "retry your request", "try again", "please wait",
	"resourceexhausted", "resource_exhausted", "resource has been exhausted",
}

// transientStatuses count when a text names them.
var transientStatuses = []int{408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529}

// delayPhrases stand before the time that a server asks to wait.
var delayPhrases = []string{"retry after", "retry-after", "try again in", "retry in", "retrydelay", "reset after"}

var delayUnits = map[string]time.Duration{
	"ms": time.Millisecond, "millisecond": time.Millisecond, "milliseconds": time.Millisecond,
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour,
}
