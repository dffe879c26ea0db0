package bedrock

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// exceptionStatus is the HTTP status that an exception stands for. Inside a stream the
// response's own status, 200, says nothing.
// Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
var exceptionStatus = map[string]int{
	"AccessDeniedException":         http.StatusForbidden,
	"InternalServerException":       http.StatusInternalServerError,
	"ModelErrorException":           http.StatusFailedDependency,
	"ModelNotReadyException":        http.StatusTooManyRequests,
	"ModelStreamErrorException":     http.StatusFailedDependency,
	"ModelTimeoutException":         http.StatusRequestTimeout,
	"ResourceNotFoundException":     http.StatusNotFound,
	"ServiceQuotaExceededException": http.StatusBadRequest,
	"ServiceUnavailableException":   http.StatusServiceUnavailable,
	"ThrottlingException":           http.StatusTooManyRequests,
	"ValidationException":           http.StatusBadRequest,
}

// exception describes an exception inside the stream. Its name there begins with a small
// letter.
func exception(name string, payload []byte) error {
	if name != "" {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	e := ai.NewStatusError(exceptionStatus[name], nil, payload)
	e.Code = name
	tell(e)
	return e
}

// named completes the error of a failed response.
func named(err error) error {
	e, ok := errors.AsType[*ai.StatusError](err)
	if !ok {
		return err
	}
	tell(e)
	return err
}

// tell puts the exception's name into the text, since the message alone is often just "Too
// many requests" or nothing, and says which failures of the model pass.
func tell(e *ai.StatusError) {
	switch e.Code {
	case "ModelStreamErrorException", "ModelErrorException":
		if e.Retry == nil {
			e.Retry = new(true)
		}
	}
	if e.Code == "" || e.Code == "no_credential" || strings.Contains(e.Message, e.Code) {
		return
	}
	e.Message = strings.TrimSuffix(e.Code+": "+e.Message, ": ")
}

func quoted(message string) string {
	raw, err := json.Marshal(message, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return `""`
	}
	return string(raw)
}
