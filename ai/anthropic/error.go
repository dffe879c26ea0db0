package anthropic

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/rondo-agent/rondo/ai"
)

// RefusalError is an answer that the model or the service declined to give. Sending the
// same request again does not help.
type RefusalError struct {
	// Reason is the wire's stop reason: refusal or sensitive.
	Reason string
	// Explanation is the service's own; it may be empty.
	Explanation string
}

// Error gives the explanation, if there is one.
func (e *RefusalError) Error() string {
	if e.Explanation != "" {
		return fmt.Sprintf("the model declined to answer: %s", e.Explanation)
	}
	return fmt.Sprintf("the model declined to answer (%s); rephrase the request or choose another model", e.Reason)
}

// errNoCall is a failure of the service, which usually does better when asked again.
var errNoCall = errors.New("the answer ended without the tool call that it announced")

// errorStatus is the HTTP status that an error type stands for. Inside a stream the
// response's own status, 200, says nothing.
// Source: https://docs.anthropic.com/en/api/errors
var errorStatus = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"billing_error":         http.StatusPaymentRequired,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"api_error":             http.StatusInternalServerError,
	"timeout_error":         http.StatusGatewayTimeout,
	"overloaded_error":      529,
}

// streamError reads an error event.
func streamError(data []byte) error {
	err := ai.NewStatusError(0, nil, data)
	if err.Status == 0 {
		err.Status = errorStatus[err.Code]
	}
	return err
}
