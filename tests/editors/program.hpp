#pragma once
// The program as another program sees it: text in, text out, a status at the end.

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

namespace credence::test {

class Piped {
public:
    explicit Piped(const std::vector<std::string>& arguments) {
        int in[2];
        int out[2];
        if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        child_ = fork();
        if (child_ == 0) {
            dup2(in[0], STDIN_FILENO);
            dup2(out[1], STDOUT_FILENO);
            dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
            std::vector<char*> argv{const_cast<char*>(CREDENCE_PROGRAM)};
            for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
            argv.push_back(nullptr);
            execv(CREDENCE_PROGRAM, argv.data());
            _exit(127);
        }
        close(in[0]);
        close(out[1]);
        in_ = in[1];
        out_ = out[0];
        std::signal(SIGPIPE, SIG_IGN);
    }
    ~Piped() {
        end_input();
        if (child_ > 0) {
            kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
        }
        close(out_);
    }
    Piped(const Piped&) = delete;
    Piped& operator=(const Piped&) = delete;

    void write(const std::string& text) const {
        for (std::size_t at = 0; at < text.size();) {
            const auto n = ::write(in_, text.data() + at, text.size() - at);
            if (n <= 0) throw std::runtime_error("the program does not read");
            at += static_cast<std::size_t>(n);
        }
    }
    void end_input() {
        if (in_ >= 0) close(in_);
        in_ = -1;
    }
    void interrupt() const { kill(child_, SIGINT); }

    std::string line() {
        for (;;) {
            if (const auto end = buffer_.find('\n'); end != std::string::npos) {
                std::string out = buffer_.substr(0, end);
                buffer_.erase(0, end + 1);
                return out;
            }
            if (!fill()) throw std::runtime_error("the program has ended");
        }
    }
    std::string bytes(std::size_t count) {
        while (buffer_.size() < count)
            if (!fill()) throw std::runtime_error("the program has ended");
        std::string out = buffer_.substr(0, count);
        buffer_.erase(0, count);
        return out;
    }
    /// All that is still to come.
    std::string rest() {
        while (fill()) {}
        return std::exchange(buffer_, {});
    }
    int status() {
        int status = 0;
        waitpid(child_, &status, 0);
        child_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

private:
    bool fill() {
        pollfd ready{out_, POLLIN, 0};
        if (poll(&ready, 1, 60000) <= 0) throw std::runtime_error("the program says nothing");
        char piece[65536];
        const auto n = read(out_, piece, sizeof piece);
        if (n <= 0) return false;
        buffer_.append(piece, static_cast<std::size_t>(n));
        return true;
    }

    pid_t child_ = -1;
    int in_ = -1;
    int out_ = -1;
    std::string buffer_;
};

}  // namespace credence::test
