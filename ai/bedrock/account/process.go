package account

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// processTimeout bounds a credential_process, which may wait for a person (AWS's SDKs: a minute).
const processTimeout = time.Minute

// process returns the source of a program that prints credentials. Its errors name the program alone:
// what it was given or has printed may be secret.
func process(command string) source {
	return func(ctx context.Context) (aws.Credentials, error) {
		ctx, cancel := context.WithTimeout(ctx, processTimeout)
		defer cancel()
		shell, flag := "sh", "-c"
		if runtime.GOOS == "windows" {
			shell, flag = "cmd.exe", "/C"
		}
		cmd := exec.CommandContext(ctx, shell, flag, command)
		cmd.WaitDelay = time.Second
		var out bytes.Buffer
		cmd.Stdout = &out
		name, _, _ := strings.Cut(command, " ")
		if err := cmd.Run(); err != nil {
			return aws.Credentials{}, fmt.Errorf("credential_process (%s): %w", name, err)
		}
		var s servedCredentials
		if err := decode(out.Bytes(), &s); err != nil {
			return aws.Credentials{}, fmt.Errorf("credential_process (%s) printed no JSON of credentials", name)
		}
		if s.Version != 1 {
			return aws.Credentials{}, fmt.Errorf("credential_process (%s) printed version %d; 1 is known", name, s.Version)
		}
		found, err := s.credentials()
		if err != nil {
			return aws.Credentials{}, fmt.Errorf("credential_process (%s): %w", name, err)
		}
		return found, nil
	}
}
